import Okaeri
import SwiftUI

/// The Apple account leads to another user already: the person chooses.
struct ConflictView: View {
    let okaeri: OkaeriClient
    let conflict: MergeConflict
    let finish: @MainActor () -> Void
    @State private var problem = ""

    var body: some View {
        VStack(spacing: 12) {
            Text("This Apple account already has data.").font(.system(.headline))
            Button("Go on with that data") { Task { await resolve(by: .switch) } }
            Button("Put both together") { Task { await resolve(by: .merge) } }
            Button("Stay with what is here") { Task { await resolve(by: .keep) } }
            Text(problem).multilineTextAlignment(.center)
        }
    }

    private func resolve(by choice: MergeChoice) async {
        do {
            try await okaeri.resolve(conflict, by: choice)
            finish()
        } catch {
            problem = error.localizedDescription
        }
    }
}
