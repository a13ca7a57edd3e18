#if canImport(AuthenticationServices) && canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    public import AuthenticationServices
    public import Foundation
    public import Okaeri
    import OkaeriWire

    /// Apple's sheet for Apple, for saved passwords and for passkeys, and the app's own way for all other providers.
    public struct AppleProviders: ProviderCredentials, SavedCredentials, PasskeyAuthenticator {
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

        /// Offers Sign in with Apple and the passwords of the iCloud Keychain, if any is saved for the app.
        public func savedCredential() async throws(OkaeriError) -> SavedCredential {
            try await saved()
        }

        /// Makes a passkey.
        @MainActor
        public func create(_ request: PasskeyCreation) async throws(OkaeriError) -> CreatedPasskey {
            guard let anchor = anchor() else { throw .cancelled }
            return try await PasskeySheet(anchor: anchor).create(request)
        }

        /// Shows a passkey.
        @MainActor
        public func assert(_ request: PasskeyRequest) async throws(OkaeriError) -> PasskeyAssertion {
            guard let anchor = anchor() else { throw .cancelled }
            return try await PasskeySheet(anchor: anchor).assert(request)
        }

        /// Tells the system that a passkey leads to nobody.
        @MainActor
        public func forget(_ credential: Data, of domain: String) async {
            guard let anchor = anchor() else { return }
            await PasskeySheet(anchor: anchor).forget(credential, of: domain)
        }

        @MainActor
        private func saved() async throws(OkaeriError) -> SavedCredential {
            guard let anchor = anchor() else { throw .cancelled }
            return try await AppleSignIn(anchor: anchor).savedCredential()
        }

        @MainActor
        private func apple() async throws(OkaeriError) -> AppleCredential {
            guard let anchor = anchor() else { throw .cancelled }
            return try await AppleSignIn(anchor: anchor).credential()
        }
    }
#endif
