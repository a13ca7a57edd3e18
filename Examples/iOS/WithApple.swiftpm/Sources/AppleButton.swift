import AuthenticationServices
import Okaeri
import OkaeriUI
import SwiftUI
import UIKit

/// Apple's own button, or the app's for what Apple's has no words for; then Apple's sheet.
struct AppleButton: View {
    enum Purpose {
        case logIn, link, delete
    }

    let purpose: Purpose
    let use: @MainActor (ProviderCredential) async -> Void
    @State private var problem = ""

    var body: some View {
        VStack(spacing: 8) {
            switch purpose {
            case .logIn: AppleIDButton(.signIn) { Task { await showSheet() } }
            case .link: AppleIDButton(.continue) { Task { await showSheet() } }
            case .delete: Button("Delete my account") { Task { await showSheet() } }
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
