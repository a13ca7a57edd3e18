/// A provider that all applications share. What of one application's takes time, such as an issuer that accepts connections and
/// says nothing, or a flood of codes, holds up no other application: each has half of what is asked at once at the most.
struct SharedProvider: IdentityProvider {
    private let provider: any IdentityProvider
    private let lanes: SharedLanes

    init(_ provider: any IdentityProvider, _ lanes: SharedLanes) {
        self.provider = provider
        self.lanes = lanes
    }

    func faults(in settings: ProviderSettings, secret: Secret?) -> [ValidationError] {
        provider.faults(in: settings, secret: secret)
    }

    var takesBrowsers: Bool { provider.takesBrowsers }

    var maximumStateCharacters: Int { provider.maximumStateCharacters }

    func identify(
        _ credential: ProviderCredential, for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity? {
        try await lanes.run(for: configured) { () async throws(DomainError) in
            try await provider.identify(credential, for: configured)
        }
    }

    func redeem(
        _ code: ProviderCredential.AuthorizationCode, nonce: Secret?, of person: ExternalIdentity?,
        for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity {
        try await lanes.run(for: configured) { () async throws(DomainError) in
            try await provider.redeem(code, nonce: nonce, of: person, for: configured)
        }
    }

    func authorizationAddress(
        _ authorization: ProviderAuthorization, for configured: ConfiguredProvider
    ) async throws(DomainError) -> String? {
        try await lanes.run(for: configured) { () async throws(DomainError) in
            try await provider.authorizationAddress(authorization, for: configured)
        }
    }

    func revoke(_ grant: Secret, audience: String, for configured: ConfiguredProvider) async throws(DomainError) {
        try await lanes.run(for: configured) { () async throws(DomainError) in
            try await provider.revoke(grant, audience: audience, for: configured)
        }
    }

    func check(_ configured: ConfiguredProvider) async -> ProviderFinding {
        guard lanes.take(for: configured.application) else { return .unreachable }
        defer { lanes.leave(configured.application) }
        return await provider.check(configured)
    }
}

/// What only Apple does, in the lanes of all named providers.
struct SharedApple: AppleServerAPI {
    private let apple: any AppleServerAPI
    private let lanes: SharedLanes

    init(_ apple: any AppleServerAPI, _ lanes: SharedLanes) {
        self.apple = apple
        self.lanes = lanes
    }

    /// Apple names no application: nothing is asked but Apple's keys, and those seldom.
    func notification(_ signed: String, audiences: Set<String>) async throws(DomainError) -> ProviderNotification {
        try await apple.notification(signed, audiences: audiences)
    }

    func migrationToken(for configured: ConfiguredProvider) async throws(DomainError) -> Secret {
        try await lanes.run(for: configured) { () async throws(DomainError) in
            try await apple.migrationToken(for: configured)
        }
    }

    func transferSubject(
        of name: String, to team: String, token: Secret, for configured: ConfiguredProvider
    ) async throws(DomainError) -> String? {
        try await lanes.run(for: configured) { () async throws(DomainError) in
            try await apple.transferSubject(of: name, to: team, token: token, for: configured)
        }
    }

    func person(
        transferredAs transferSubject: String, token: Secret, for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity? {
        try await lanes.run(for: configured) { () async throws(DomainError) in
            try await apple.person(transferredAs: transferSubject, token: token, for: configured)
        }
    }
}

extension SharedLanes {
    /// Asks a provider for an application.
    ///
    /// - Throws: `providerUnavailable` while the application has its share, and what the closure throws.
    fileprivate func run<Value: Sendable>(
        for configured: ConfiguredProvider, _ ask: () async throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        try await run(for: configured.application, ask)
    }

    /// The same where the application alone is known.
    ///
    /// - Throws: `providerUnavailable` while the application has its share, and what the closure throws.
    func run<Value: Sendable>(
        for application: Identifier<Application>, _ ask: () async throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        guard take(for: application) else { throw .providerUnavailable }
        defer { leave(application) }
        return try await ask()
    }
}
