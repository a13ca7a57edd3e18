import Okaeri
import OkaeriUI
import SwiftUI

struct ContentView: View {
    let okaeri: OkaeriClient
    @State private var user: User?
    @State private var conflict: MergeConflict?
    @State private var message = ""
    @State private var isLeaving = false
    @Environment(\.okaeriLook) private var look

    private var isLinked: Bool {
        user?.identities.contains { $0.provider == Provider.apple.rawValue } ?? false
    }

    var body: some View {
        VStack(spacing: 16) {
            if let conflict {
                ConflictView(okaeri: okaeri, conflict: conflict) { self.conflict = nil }
            } else if let user {
                Text("Signed in as \(user.displayName ?? user.id)").font(.system(.title))
                if isLinked {
                    Button("Unlink Apple") { Task { await unlink() } }
                    AppleButton(purpose: .delete) { await delete($0) }
                } else {
                    AppleButton(purpose: .link) { await link($0) }
                }
                Button("Log out") { isLeaving = true }
                    .confirmationDialog(
                        look.texts(user.isAnonymous ? .logOutGuest : .logOutRegistered), isPresented: $isLeaving,
                        titleVisibility: .visible
                    ) {
                        Button("Log out") { Task { await okaeri.logOut() } }
                    }
            } else {
                AppleButton(purpose: .logIn) { await logIn($0) }
                Button("Begin as a guest") { Task { await logInAutomatically() } }
            }
            Text(message).multilineTextAlignment(.center)
        }
        .padding(24)
        .task {
            for await state in okaeri.states { user = state.user }
        }
        .task { await logInAtLaunch() }
        .task { await AppleCredentialWatch(okaeri).run() }
    }

    /// At launch the person goes on as who they were; the first launch makes a guest. Who has logged out decides anew.
    private func logInAtLaunch() async {
        for await state in okaeri.states {
            switch state {
            case .unknown, .storageLocked: continue
            case .loggedIn, .loggedOut(.firstLaunch): return await logInAutomatically()
            case .loggedOut: return
            }
        }
    }

    private func logInAutomatically() async {
        message = ""
        do {
            try await okaeri.logInAutomatically()
        } catch {
            message = error.localizedDescription
        }
    }

    private func logIn(_ credential: ProviderCredential) async {
        do {
            try await okaeri.logIn(with: credential)
        } catch {
            message = error.localizedDescription
        }
    }

    private func link(_ credential: ProviderCredential) async {
        do {
            try await okaeri.link(credential)
        } catch {
            if case .conflict(let found) = error {
                conflict = found
            } else {
                message = error.localizedDescription
            }
        }
    }

    private func unlink() async {
        do {
            try await okaeri.unlink(.apple)
        } catch {
            message = error.localizedDescription
        }
    }

    private func delete(_ credential: ProviderCredential) async {
        do {
            try await okaeri.reauthenticate(with: credential)
            let end = try await okaeri.deleteUser()
            message = "The account is erased on \(end.formatted(date: .long, time: .omitted))."
        } catch {
            message = error.localizedDescription
        }
    }
}
