import Okaeri
import OkaeriWire
import SwiftUI

struct ContentView: View {
    let okaeri: OkaeriClient
    @State private var greeting = "…"
    @State private var lastLogIn = ""
    @State private var userID = ""
    @State private var problem = ""
    @State private var name = ""

    var body: some View {
        VStack(spacing: 16) {
            Text(greeting).font(.system(.largeTitle))
            Text(lastLogIn)
            Text(userID).font(.system(.footnote))
            if problem.isEmpty {
                TextField("What shall we call you?", text: $name)
                    .onSubmit { Task { await saveName() } }
            } else {
                Text(problem).multilineTextAlignment(.center)
                Button("Try again") { Task { await greet() } }
            }
        }
        .padding(24)
        .task { await greet() }
    }

    private func greet() async {
        problem = ""
        do {
            switch try await okaeri.logInAutomatically() {
            case .firstVisit(let user):
                greeting = "Nice to meet you!"
                userID = "User ID \(user.id)"
            case .returning(let user, let date):
                greeting = "Welcome back, \(user.displayName ?? "friend")"
                lastLogIn = "Last log-in: \(date.formatted(date: .long, time: .shortened))"
                userID = "User ID \(user.id)"
            }
        } catch {
            greeting = "Hello"
            problem = error.localizedDescription
        }
    }

    private func saveName() async {
        do {
            let user = try await okaeri.update(UserChanges(displayName: .set(name)))
            greeting = "Hello, \(user.displayName ?? name)"
        } catch {
            problem = error.localizedDescription
        }
    }
}
