import Okaeri
import SwiftUI

struct ContentView: View {
    let okaeri: OkaeriClient
    @State private var state = OkaeriState.unknown
    @State private var isNew = true

    var body: some View {
        VStack(spacing: 24) {
            switch state {
            case .unknown, .storageLocked:
                ProgressView()
            case .loggedIn(let user, freshness: _):
                Text("Welcome, \(user.username ?? user.id)").font(.system(.title))
                Button("Log out") { Task { await okaeri.logOut() } }
            case .loggedOut:
                if isNew {
                    SignUpView(okaeri: okaeri)
                } else {
                    LogInView(okaeri: okaeri)
                }
                Button(isNew ? "I have an account" : "Create an account") { isNew = !isNew }
            }
        }
        .padding(24)
        .task {
            for await next in okaeri.states {
                state = next
                // The first launch begins with sign-up; after a log-out the person has an account.
                isNew = next == .loggedOut(.firstLaunch)
            }
        }
    }
}
