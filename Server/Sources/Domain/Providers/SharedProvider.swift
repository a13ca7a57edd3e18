import Synchronization

/// A provider that all applications share. What of one application's takes time, such as an issuer that accepts connections and
/// says nothing, or a flood of codes, holds up no other application, and no other provider of the same one (`ProviderLanes`).
struct SharedProvider: IdentityProvider {
    private let provider: any IdentityProvider
    private let lanes: ProviderLanes

    init(_ provider: any IdentityProvider, _ lanes: ProviderLanes) {
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
        let part = ProviderLanes.Part(of: configured)
        guard lanes.take(part) else { return .unreachable }
        defer { lanes.leave(part) }
        return await provider.check(configured)
    }
}

/// What only Apple does, in the lanes of all named providers.
struct SharedApple: AppleServerAPI {
    private let apple: any AppleServerAPI
    private let lanes: ProviderLanes

    init(_ apple: any AppleServerAPI, _ lanes: ProviderLanes) {
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

/// What is asked of providers at once: an application has half of the lanes at the most, and one of its providers three quarters of
/// that half. While one says nothing, people log in by the others (decision 0209).
final class ProviderLanes: Sendable {
    /// One provider of an application, or a service of before.
    struct Part: Hashable, Sendable {
        var application: Identifier<Application>
        var name: String

        init(_ name: String, of application: Identifier<Application>) {
            self.application = application
            self.name = name
        }

        init(of configured: ConfiguredProvider) {
            self.init(configured.settings.provider.rawValue, of: configured.application)
        }
    }

    private struct State: Sendable {
        var lanes: Lanes
        /// How many each part has that has any.
        var parts: [Part: Int] = [:]
    }

    private let state: Mutex<State>
    private let maximumOfPart: Int

    init(_ count: Int) {
        state = Mutex(State(lanes: Lanes(count)))
        maximumOfPart = Self.part(of: count)
    }

    /// How many of so many lanes a part has at the most.
    static func part(of count: Int) -> Int { count * 3 / 8 }

    /// Takes one.
    ///
    /// - Returns: whether there was one; then `leave` has to follow.
    func take(_ part: Part) -> Bool {
        state.withLock { state in
            let own = state.parts[part] ?? 0
            guard own < maximumOfPart, state.lanes.take(for: part.application) else { return false }
            state.parts[part] = own + 1
            return true
        }
    }

    func leave(_ part: Part) {
        state.withLock { state in
            guard let own = state.parts[part] else { return }
            state.parts[part] = own > 1 ? own - 1 : nil
            state.lanes.leave(part.application)
        }
    }

    /// Asks a provider for an application.
    ///
    /// - Throws: `providerUnavailable` while application or provider has its share, and what the closure throws.
    fileprivate func run<Value: Sendable>(
        for configured: ConfiguredProvider, _ ask: () async throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        try await run(Part(of: configured), ask)
    }

    /// The same for a part.
    ///
    /// - Throws: `providerUnavailable` while application or part has its share, and what the closure throws.
    func run<Value: Sendable>(
        _ part: Part, _ ask: () async throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        guard take(part) else { throw .providerUnavailable }
        defer { leave(part) }
        return try await ask()
    }
}
