import Okaeri
import SwiftUI
import UIKit

struct SignUpView: View {
    let okaeri: OkaeriClient
    @State private var name = ""
    @State private var password = ""
    @State private var outcome = Outcome.success
    @State private var isWorking = false

    var body: some View {
        VStack(spacing: 16) {
            Text("Create an account").font(.system(.title))
            TextField("User name", text: $name)
                .textContentType(.username)
                .textInputAutocapitalization(.never)
            SecureField("Password", text: $password)
                .textContentType(.newPassword)
            Text(outcome.text).multilineTextAlignment(.center)
            Button("Sign up") { Task { await signUp() } }
                .disabled(isWorking || name.isEmpty || password.isEmpty)
        }
    }

    private func signUp() async {
        isWorking = true
        do {
            try await okaeri.signUp(username: name, password: password)
            outcome = .success
        } catch {
            outcome = error.outcome
        }
        isWorking = false
    }
}
