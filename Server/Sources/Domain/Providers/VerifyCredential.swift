/// Asks a provider who presents a credential, for protocols that carry the person's name there beside it. Nothing is
/// written.
package struct VerifyCredential: Sendable {
    let findProvider: FindProvider
    let rateLimiter: RateLimiter
    /// Credentials from one address or /64 network. Apps of old protocols log in with one at each launch.
    let credentialsForClient: AddressLimit
    /// Whether the limits hold.
    let hasLimits: Bool

    /// - Parameters:
    ///   - credential: What the provider gave the client.
    ///   - name: Whom the client says that it is about, in the provider's own word; the provider must say the same;
    ///     `nil` beside a code, of which the client knows nobody.
    ///   - provider: Who vouches.
    ///   - application: Where.
    ///   - address: Where the request came from: each credential costs a call to the provider.
    /// - Returns: the person.
    /// - Throws: `providerNotEnabled`, `providerTokenRefused`, `providerRefused`, `providerUnavailable`,
    ///   `providerMisconfigured`, `fieldsRefused`, `rateLimited`, `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(
        _ credential: ProviderCredential, of name: String?, at provider: Identity.Provider, in application: Application,
        from address: ClientAddress
    ) async throws(DomainError) -> ExternalIdentity {
        let found = try await findProvider(provider, in: application.id)
        if hasLimits {
            try await rateLimiter(
                kind: "provider-credential", in: application.id, from: address, limit: credentialsForClient)
        }
        var person = try await found.provider.identify(credential, for: found.configured)
        if let code = credential.code {
            person = try await found.provider.redeem(
                code, nonce: credential.nonce, of: person, for: found.configured)
            // The provider sees to it that a code counts once, and nobody else ever has the token behind it.
            person?.replay = nil
        }
        guard let person else { throw .providerTokenRefused(.malformed) }
        guard name == nil || ConfiguredProvider.parts(of: person.subject).name == name else {
            throw .providerTokenRefused(.otherPerson)
        }
        return person
    }
}

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
