import Okaeri
import SwiftUI
import UIKit

/// Shows Apple's sheet and hands over what the person agreed to.
struct AppleButton: View {
    let title: String
    let use: @MainActor (ProviderCredential) async -> Void
    @State private var problem = ""

    var body: some View {
        VStack(spacing: 8) {
            Button {
                Task { await showSheet() }
            } label: {
                HStack(spacing: 8) {
                    Image(systemName: "apple.logo")
                    Text(title)
                }
            }
            Text(problem).multilineTextAlignment(.center)
        }
    }

    private func showSheet() async {
        guard let window = Self.window else { return }
        problem = ""
        do {
            let credential = try await AppleSignIn(anchor: window).credential()
            await use(.apple(credential))
        } catch {
            // A person who closes the sheet has changed their mind.
            if error != .cancelled { problem = error.localizedDescription }
        }
    }

    private static var window: UIWindow? {
        UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }.flatMap(\.windows)
            .first { $0.isKeyWindow }
    }
}
