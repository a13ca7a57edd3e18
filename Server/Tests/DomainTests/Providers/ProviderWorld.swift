import StorageSQLite
import Synchronization
import TestWorld

@testable import Domain

/// A provider that vouches for whomever a credential names, and counts what it was asked.
final class ScriptedProvider: IdentityProvider {
    struct Calls: Hashable {
        var identified = 0
        var redeemed = 0
        var revoked = 0
    }

    private let state = Mutex(
        (calls: Calls(), down: false, state: 6000, email: String?.none, time: Timestamp?.none, gate: Gate?.none))
    private let name: Identity.Provider

    init(_ name: Identity.Provider) { self.name = name }

    var calls: Calls { state.withLock { $0.calls } }
    /// Whether the provider answers nobody.
    func set(isDown: Bool) { state.withLock { $0.down = isDown } }
    /// The address that the provider has verified of everybody; `nil` for none.
    func set(email: String?) { state.withLock { $0.email = email } }
    /// When the provider says that everybody has logged in there; `nil` where it says no time.
    func set(loggedInAt time: Timestamp?) { state.withLock { $0.time = time } }
    /// What a revocation, and the exchange of a code, wait for; `nil` for nothing.
    func set(gate: Gate?) { state.withLock { $0.gate = gate } }
    func set(maximumState: Int) { state.withLock { $0.state = maximumState } }

    let takesBrowsers = true
    var maximumStateCharacters: Int { state.withLock { $0.state } }

    func faults(in settings: ProviderSettings, secret: Secret?) -> [ValidationError] {
        secret == nil ? [ValidationError(field: "secret", rule: .required)] : []
    }

    private func person(_ subject: String, _ configured: ConfiguredProvider) -> ExternalIdentity {
        var person = ExternalIdentity(
            provider: name, subject: subject, audience: configured.settings.audiences.first ?? "",
            email: state.withLock { $0.email }.map { ProviderEmail(address: $0, isVerified: true, isRelay: false) },
            displayName: "Name of \(subject)")
        person.authenticatedAt = state.withLock { $0.time }
        return person
    }

    private func work(_ note: (inout Calls) -> Void) throws(DomainError) {
        let isDown = state.withLock { state -> Bool in
            note(&state.calls)
            return state.down
        }
        if isDown { throw .providerUnavailable }
    }

    /// A token is the subject and what makes it another token: `hana#1`.
    func identify(
        _ credential: ProviderCredential, for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity? {
        guard let token = credential.identityToken?.revealed else { return nil }
        try work { $0.identified += 1 }
        guard let subject = token.split(separator: "#").first else { throw .providerTokenRefused(.malformed) }
        var person = person(String(subject), configured)
        person.replay = UsedProof(
            .providerToken, SecretDigest(of: token.utf8), until: StandingClock().now + .days(365))
        return person
    }

    /// A code is the subject.
    func redeem(
        _ code: ProviderCredential.AuthorizationCode, nonce: Secret?, of person: ExternalIdentity?,
        for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity {
        let gate = state.withLock { $0.gate }
        await gate?.pass()
        try work { $0.redeemed += 1 }
        guard code.code.revealed != "wrong" else { throw .providerRefused }
        var redeemed = person ?? self.person(code.code.revealed, configured)
        redeemed.refreshToken = Secret("grant of \(redeemed.subject)")
        return redeemed
    }

    func authorizationAddress(
        _ authorization: ProviderAuthorization, for configured: ConfiguredProvider
    ) async throws(DomainError) -> String? {
        try work { _ in }
        return "https://provider.example/authorize?state=\(authorization.state)&challenge=\(authorization.challenge)"
            + "&nonce=\(authorization.nonce)&fresh=\(authorization.demandsFreshLogIn)"
            + "&hint=\(authorization.hint ?? "")"
    }

    func revoke(_ grant: Secret, audience: String, for configured: ConfiguredProvider) async throws(DomainError) {
        let gate = state.withLock { $0.gate }
        await gate?.pass()
        try work { $0.revoked += 1 }
    }

    func check(_ configured: ConfiguredProvider) async -> ProviderFinding { .accepted }
}

/// Apple's own further duties, as a test has it.
final class ScriptedApple: AppleServerAPI {
    private struct State: Sendable {
        var notifications: [String: ProviderNotification] = [:]
        /// By the name at the old team.
        var transfers: [String: String] = [:]
        /// By the transfer's name.
        var people: [String: ExternalIdentity] = [:]
        var calls = 0
    }

    private let state = Mutex(State())

    /// How often it was asked about somebody.
    var calls: Int { state.withLock { $0.calls } }

    func set(_ notification: ProviderNotification, as signed: String) {
        state.withLock { $0.notifications[signed] = notification }
    }

    func set(transfer: String, of name: String) { state.withLock { $0.transfers[name] = transfer } }

    func set(_ person: ExternalIdentity, transferredAs transfer: String) {
        state.withLock { $0.people[transfer] = person }
    }

    func notification(_ signed: String, audiences: Set<String>) async throws(DomainError) -> ProviderNotification {
        let found = state.withLock { $0.notifications[signed] }
        guard let found else { throw .providerTokenRefused(.malformed) }
        return found
    }

    func migrationToken(for configured: ConfiguredProvider) async throws(DomainError) -> Secret { Secret("migration") }

    func transferSubject(
        of name: String, to team: String, token: Secret, for configured: ConfiguredProvider
    ) async throws(DomainError) -> String? {
        state.withLock { state in
            state.calls += 1
            return state.transfers[name]
        }
    }

    func person(
        transferredAs transferSubject: String, token: Secret, for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity? {
        state.withLock { state in
            state.calls += 1
            return state.people[transferSubject]
        }
    }
}

/// All rules over SQLite, with scripted providers.
struct ProviderWorld: Sendable {
    static let redirect = "https://id.example.com/back"
    static let address = TestWorld.address

    private struct PlainRenderer: MailRenderer {
        func page(of template: MailTemplate, in language: MailLanguage, _ values: [MailValue: String]) -> String {
            template.text
        }
    }

    let engine: SQLiteStore
    let clock = StandingClock()
    let google = ScriptedProvider(.google)
    let line = ScriptedProvider(.line)
    let apple = ScriptedApple()
    let modules: Modules

    init(hasRateLimits: Bool = false) throws {
        engine = try SQLiteStore(.memory, role: .server)
        let services = DomainWorld.Services(
            issuer: "https://id.example.com", protocols: .samples,
            providers: IdentityProviders(
                named: [.google: google, .line: line, .apple: ScriptedProvider(.apple)], openID: nil, admins: google,
                apple: apple),
            mailRenderer: PlainRenderer())
        let modules = Modules(
            DomainWorld(
                store: engine, validity: engine.validity, clock: clock, randomness: CountingRandomness(),
                sealingKey: try .ofTests(), passwords: CountingPasswords(), services: services,
                limits: DomainWorld.Limits(hasRateLimits: hasRateLimits)))
        self.modules = modules
        engine.observeChanges { modules.forget($0) }
    }

    /// An application that has both providers on.
    func makeApplication(_ name: String = "Test", settings: ApplicationSettings = .init()) async throws -> Application {
        let application = try await modules.applications.createApplication(
            name: name, settings: settings, by: .local
        ).application
        for provider in [Identity.Provider.google, .line] {
            try await set(provider, of: application)
        }
        return application
    }

    func set(_ provider: Identity.Provider, of application: Application, team: String? = nil) async throws {
        try await modules.providers.setProvider(
            ProviderSettings(
                provider: provider, audiences: ["web", "ios"], teamId: team, redirectURIs: [Self.redirect]),
            secret: Secret("secret"), of: application.id, by: .local)
    }

    func client(_ device: TestDevice? = nil, joins: Bool = true) throws -> LogInClient {
        LogInClient(
            .native, proof: try device?.presented(at: clock.now), joinsDevice: joins, from: Self.address,
            origin: .local)
    }

    static func token(_ text: String) -> ProviderCredential { ProviderCredential(identityToken: Secret(text)) }

    static func code(_ text: String, token: String? = nil) -> ProviderCredential {
        ProviderCredential(identityToken: token.map { Secret($0) }, code: .init(code: Secret(text)))
    }

    func logIn(
        _ credential: ProviderCredential, by provider: Identity.Provider = .google, to application: Application,
        with device: TestDevice? = nil, attempt: String? = nil
    ) async throws(DomainError) -> LogIn {
        let client: LogInClient
        do { client = try self.client(device) } catch { throw .proofRequired }
        return try await modules.logIns.logInWithProvider(
            .init(
                application: application, provider: provider, credential: credential, client: client,
                attempt: attempt.map { Attempt(name: $0, request: []) }))
    }

    func authenticate(_ token: Secret, in application: Application) async throws -> Authenticated {
        try await modules.sessions.authenticate(
            .init(
                application: application, token: Substring(token.revealed), proof: nil, protocolName: .native),
            from: { Self.address })
    }

    func refusal(_ body: () async throws -> Void) async -> DomainError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? DomainError
        }
    }
}
