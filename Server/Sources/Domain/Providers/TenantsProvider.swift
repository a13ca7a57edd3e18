/// The provider whose addresses tenants name. What of one application's takes time, such as an issuer that accepts connections and
/// says nothing, holds up no other application: each has half of what is asked at once at the most.
struct TenantsProvider: IdentityProvider {
    private let provider: any IdentityProvider
    private let lanes = SharedLanes(IdentityProviders.lanesOfTenants)

    init(_ provider: any IdentityProvider) {
        self.provider = provider
    }

    func faults(in settings: ProviderSettings, secret: Secret?) -> [ValidationError] {
        provider.faults(in: settings, secret: secret)
    }

    var takesBrowsers: Bool { provider.takesBrowsers }

    var maximumStateCharacters: Int { provider.maximumStateCharacters }

    func identify(
        _ credential: ProviderCredential, for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity? {
        try take(for: configured)
        defer { lanes.leave(configured.application) }
        return try await provider.identify(credential, for: configured)
    }

    func redeem(
        _ code: ProviderCredential.AuthorizationCode, nonce: Secret?, of person: ExternalIdentity?,
        for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity {
        try take(for: configured)
        defer { lanes.leave(configured.application) }
        return try await provider.redeem(code, nonce: nonce, of: person, for: configured)
    }

    func authorizationAddress(
        _ authorization: ProviderAuthorization, for configured: ConfiguredProvider
    ) async throws(DomainError) -> String? {
        try take(for: configured)
        defer { lanes.leave(configured.application) }
        return try await provider.authorizationAddress(authorization, for: configured)
    }

    func revoke(_ grant: Secret, audience: String, for configured: ConfiguredProvider) async throws(DomainError) {
        try take(for: configured)
        defer { lanes.leave(configured.application) }
        try await provider.revoke(grant, audience: audience, for: configured)
    }

    func check(_ configured: ConfiguredProvider) async -> ProviderFinding {
        guard lanes.take(for: configured.application) else { return .unreachable }
        defer { lanes.leave(configured.application) }
        return await provider.check(configured)
    }

    /// - Throws: `providerUnavailable` while the application has its share; else it has to leave again.
    private func take(for configured: ConfiguredProvider) throws(DomainError) {
        guard lanes.take(for: configured.application) else { throw .providerUnavailable }
    }
}
