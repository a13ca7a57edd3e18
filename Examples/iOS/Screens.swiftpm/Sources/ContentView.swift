import Okaeri
import OkaeriUI
import SwiftUI

struct ContentView: View {
    let okaeri: OkaeriClient
    @State private var user: User?
    @State private var isShowingScreens = false
    @State private var logIn = LogInOptions(fields: [.default, .rememberMe])
    @State private var signUp = SignUpOptions()

    var body: some View {
        VStack(spacing: 16) {
            if let user {
                Text("Signed in as \(user.username ?? user.id)").font(.system(.title))
                Text("Your account works on every phone. Log out before you hand this one to someone else.")
                    .multilineTextAlignment(.center)
                Button("Log out") { Task { await okaeri.logOut() } }
            } else {
                Text("Hoshi").font(.system(.largeTitle))
                Text("Log in to go on where you were, or make an account in a minute.")
                    .multilineTextAlignment(.center)
                Button("Log in or sign up") { isShowingScreens = true }
            }
        }
        .padding(24)
        .task {
            for await state in okaeri.states { user = state.user }
        }
        .task { await loadRules() }
        // Listed, so that the sheet has the present values, and not those with which this view was drawn.
        .sheet(isPresented: $isShowingScreens) { [logIn, signUp] in
            OkaeriScreens(
                .logIn(identifier: ""), in: ScreenSurroundings(client: okaeri), logIn: logIn, signUp: signUp,
                hooks: ScreenHooks(shouldBegin: { await check($0) })
            ) { isShowingScreens = false }
            .okaeriTheme(Brand.theme)
        }
    }

    /// What the operator has set up for the application.
    private func loadRules() async {
        // Without the server's rules the standard ones count; the server checks again in any case.
        guard let profile = try? await okaeri.applicationProfile() else { return }
        logIn = LogInOptions(profile, fields: [.default, .rememberMe])
        signUp = SignUpOptions(profile)
    }

    /// A rule of the app's own, asked before anything is sent.
    private func check(_ submission: Submission) async -> Verdict {
        guard submission.screen == .signUp, submission.username.lowercased().contains("hoshi") else { return .proceed }
        return .refuse([.username: "This name is kept for our staff."])
    }
}
