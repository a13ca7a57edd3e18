import Okaeri
import OkaeriUI
import SwiftUI

struct ContentView: View {
    let okaeri: OkaeriClient
    @State private var state = OkaeriState.unknown
    @State private var isWorking = false
    @State private var problem = ""
    @State private var screen = ScreenDestination.upgrade
    @State private var isShowingScreen = false

    var body: some View {
        VStack(spacing: 16) {
            switch state {
            case .unknown, .storageLocked:
                ProgressView()
            case .loggedOut where isWorking:
                ProgressView()
            case .loggedOut:
                Text("Nobody is logged in.")
                Button("Begin as a guest") { Task { await logInAutomatically() } }
                Button("I have an account") { show(.logIn(identifier: "")) }
                Button("I have a transfer code") { show(.transferEntry) }
                Text(problem).multilineTextAlignment(.center)
            case .loggedIn(let user, freshness: _) where user.isAnonymous:
                Text("You are a guest.").font(.system(.title))
                Button("Save your data") { show(.upgrade) }
                Button("Move to another phone") { show(.transferCode) }
                Button("I have a transfer code") { show(.transferEntry) }
                Button("I have an account") { show(.logIn(identifier: "")) }
            case .loggedIn(let user, freshness: _):
                Text("Welcome back, \(user.username ?? user.id)").font(.system(.title))
                Button("Move to another phone") { show(.transferCode) }
                Button("My phones") { show(.deviceKeys) }
                Button("Log out") { Task { await okaeri.logOut() } }
            }
        }
        .padding(24)
        .task {
            for await next in okaeri.states {
                state = next
                if next.user != nil { problem = "" }
            }
        }
        .task { await logInAtLaunch() }
        // Listed, so that the sheet has the present values, and not those with which this view was drawn.
        .sheet(isPresented: $isShowingScreen) { [screen] in
            OkaeriScreens(
                screen, in: ScreenSurroundings(client: okaeri),
                logIn: LogInOptions(fields: [.default, .rememberMe, .transferCode])
            ) { isShowingScreen = false }
        }
        // A guest's new phone waits for the answer.
        .okaeriTransferNotices(in: ScreenSurroundings(client: okaeri))
    }

    /// At launch the person goes on as who they were; the first launch makes a guest. Who has logged out decides anew.
    private func logInAtLaunch() async {
        for await known in okaeri.states {
            switch known {
            case .unknown, .storageLocked: continue
            case .loggedIn, .loggedOut(.firstLaunch): return await logInAutomatically()
            case .loggedOut: return
            }
        }
    }

    private func logInAutomatically() async {
        isWorking = true
        problem = ""
        // A key that can never be used again leads to nobody: the guest gets another one.
        if state == .loggedOut(.keyLost) { await okaeri.useNewDeviceKey() }
        do {
            try await okaeri.logInAutomatically()
        } catch {
            problem = error.localizedDescription
        }
        isWorking = false
    }

    private func show(_ screen: ScreenDestination) {
        self.screen = screen
        isShowingScreen = true
    }
}
