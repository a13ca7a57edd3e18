import Okaeri
import SwiftUI
import UIKit

struct LogInView: View {
    let okaeri: OkaeriClient
    @State private var name = ""
    @State private var password = ""
    @State private var isAutomatic = true
    @State private var outcome = Outcome.success
    @State private var isWorking = false

    var body: some View {
        VStack(spacing: 16) {
            Text("Log in").font(.system(.title))
            TextField("User name", text: $name)
                .textContentType(.username)
                .textInputAutocapitalization(.never)
            SecureField("Password", text: $password)
                .textContentType(.password)
            Toggle(isOn: $isAutomatic) { Text("Log in automatically") }
            Text(outcome.text).multilineTextAlignment(.center)
            Button("Log in") { Task { await logIn() } }
                .disabled(isWorking || name.isEmpty || password.isEmpty)
        }
    }

    private func logIn() async {
        isWorking = true
        do {
            try await okaeri.logIn(
                identifier: name, password: password, rememberMe: isAutomatic ? .automatic : .untilQuit)
            outcome = .success
        } catch {
            outcome = error.outcome
        }
        isWorking = false
    }
}
