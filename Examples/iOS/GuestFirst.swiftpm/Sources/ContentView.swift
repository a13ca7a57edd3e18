import Okaeri
import OkaeriUI
import SwiftUI

struct ContentView: View {
    let okaeri: OkaeriClient
    @State private var state = OkaeriState.unknown
    @State private var screen = ScreenDestination.upgrade
    @State private var isShowingScreen = false

    var body: some View {
        VStack(spacing: 16) {
            switch state {
            case .unknown, .storageLocked:
                ProgressView()
            case .loggedOut:
                Text("Nobody is logged in.")
                Button("Begin as a guest") { Task { await beginAsGuest() } }
                Button("I have an account") { show(.logIn(identifier: "")) }
                Button("I have a transfer code") { show(.transferEntry) }
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
            NoticeView(okaeri: okaeri)
        }
        .padding(24)
        .task {
            await beginAsGuest()
            for await next in okaeri.states { state = next }
        }
        .sheet(isPresented: $isShowingScreen) {
            OkaeriScreens(
                screen, in: ScreenSurroundings(client: okaeri),
                logIn: LogInOptions(fields: [.default, .rememberMe, .transferCode])
            ) { isShowingScreen = false }
        }
    }

    private func beginAsGuest() async {
        // Without a network the states still say who is known on this phone.
        _ = try? await okaeri.logInAutomatically()
    }

    private func show(_ screen: ScreenDestination) {
        self.screen = screen
        isShowingScreen = true
    }
}
