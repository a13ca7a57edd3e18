#if canImport(AuthenticationServices) && canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    public import AuthenticationServices
    public import Okaeri
    import OkaeriWire

    /// Apple's sheet for Apple, and the app's own way for all other providers.
    public struct AppleProviders: ProviderCredentials {
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor?
        private let others: any ProviderCredentials

        /// Makes the way to providers.
        ///
        /// - Parameters:
        ///   - anchor: The window that the sheet belongs to.
        ///   - others: The way to all others: Google's and Facebook's own libraries, for example.
        public init(
            anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor?,
            others: any ProviderCredentials = NoProviders()
        ) {
            self.anchor = anchor
            self.others = others
        }

        /// Asks the person, there.
        public func credential(for provider: Provider) async throws(OkaeriError) -> ProviderCredential {
            guard provider == .apple else { return try await others.credential(for: provider) }
            return .apple(try await apple())
        }

        @MainActor
        private func apple() async throws(OkaeriError) -> AppleCredential {
            guard let anchor = anchor() else { throw .cancelled }
            return try await AppleSignIn(anchor: anchor).credential()
        }
    }
#endif
