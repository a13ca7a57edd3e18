/// Asks a provider who presents a credential, and nothing else: nobody is logged in, linked or made.
package struct VerifyExternalIdentity: Sendable {
    let findProvider: FindProvider

    /// A code is exchanged only when there is no token beside it.
    ///
    /// - Parameters:
    ///   - name: The provider.
    ///   - credential: What it gave.
    ///   - application: Whose settings count.
    /// - Returns: the person. Its token is still to be marked as used.
    /// - Throws: `providerNotEnabled`, `providerTokenRefused`, `providerRefused`, `providerUnavailable`,
    ///   `providerMisconfigured`, `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(
        _ name: Identity.Provider, _ credential: ProviderCredential, in application: Identifier<Application>
    ) async throws(DomainError) -> ExternalIdentity {
        let found = try await findProvider(name, in: application)
        if let person = try await found.provider.identify(credential, for: found.configured) { return person }
        guard let code = credential.code else { throw .providerTokenRefused(.malformed) }
        return try await found.provider.redeem(code, nonce: credential.nonce, of: nil, for: found.configured)
    }
}
