#if canImport(AuthenticationServices) && canImport(SwiftUI) && canImport(UIKit) && !os(watchOS) && !os(tvOS)
    public import AuthenticationServices
    public import SwiftUI
    import UIKit

    /// Apple's own button for Sign in with Apple: its words are in the app's language, its colours follow day and night.
    public struct AppleIDButton: View {
        private let kind: ASAuthorizationAppleIDButton.ButtonType
        private let action: @MainActor () -> Void
        @Environment(\.isEnabled) private var isEnabled
        private var look = Look()

        /// Makes a button.
        ///
        /// - Parameters:
        ///   - kind: What it says.
        ///   - action: Shows the sheet, for example by `AppleSignIn`.
        public init(
            _ kind: ASAuthorizationAppleIDButton.ButtonType = .signIn, action: @escaping @MainActor () -> Void
        ) {
            self.kind = kind
            self.action = action
        }

        /// The button, 44 points high.
        public var body: some View {
            SystemButton(
                kind: kind, isDark: look.isDark, cornerRadius: look.radius(44), isEnabled: isEnabled, action: action
            )
            // The colours of one that was made do not change any more.
            .id(look.isDark)
            .frame(maxWidth: .infinity, minHeight: 44, maxHeight: 44)
            .opacity(isEnabled ? 1 : 0.5)
        }
    }

    private struct SystemButton: UIViewRepresentable {
        let kind: ASAuthorizationAppleIDButton.ButtonType
        let isDark: Bool
        let cornerRadius: CGFloat
        let isEnabled: Bool
        let action: @MainActor () -> Void

        /// What a tap does now.
        @MainActor
        final class Coordinator {
            var action: @MainActor () -> Void

            init(action: @escaping @MainActor () -> Void) {
                self.action = action
            }
        }

        func makeCoordinator() -> Coordinator { Coordinator(action: action) }

        func makeUIView(context: Context) -> ASAuthorizationAppleIDButton {
            let button = ASAuthorizationAppleIDButton(type: kind, style: isDark ? .white : .black)
            let coordinator = context.coordinator
            button.addAction(UIAction { _ in coordinator.action() }, for: .touchUpInside)
            return button
        }

        func updateUIView(_ button: ASAuthorizationAppleIDButton, context: Context) {
            context.coordinator.action = action
            button.cornerRadius = cornerRadius
            button.isEnabled = isEnabled
        }
    }
#endif
