import Crypto
import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriServer
import OkaeriWire
import OutboundServices
import Testing

/// The server of the fake providers: one for the process, on a loopback port, with a path for each test.
enum FakeHost {
    private static let server = FakeProviderServer()
    private static let base = server.start()

    /// Puts a provider at an address of its own.
    static func address(of provider: any FakeProvider) async -> String {
        "\(await base.value)/\(server.add(provider))"
    }

    /// The fakes are on this machine.
    static let policy = EgressPolicy(privateNetworks: IPNetwork.loopback, operatorURLs: [])

    /// Calls of tests wait on these threads together, on a machine that may be busy: nobody waits so long where nothing is
    /// wrong.
    static let caller = CurlCaller(
        limits: CurlCaller.Limits(connecting: .seconds(120), whole: .seconds(120)), policy: FakeHost.policy)
    /// For a test that wants a provider to be too slow.
    static let hastyCaller = CurlCaller(limits: CurlCaller.Limits(whole: .seconds(1)), policy: FakeHost.policy)

    /// Keys take long to make: all tests share a few.
    static let keys = Result { try (1...3).map { try FakeKey.rsa(id: "fake-\($0)") } }
}

/// A server whose application knows a fake Apple.
struct AppleWorld: Sendable {
    static let bundle = "com.example.app"
    static let service = "com.example.web"
    static let team = "TEAM123456"
    static let keyId = "KEY1234567"
    static let nonce = "a nonce that the app has made"

    let server: TestServer
    let apple: FakeApple
    let privateKey: P256.Signing.PrivateKey

    /// - Parameters:
    ///   - settings: As on the command line.
    ///   - application: What the application has decided.
    ///   - caller: Asks the fake.
    ///   - others: Where other providers are.
    /// - Throws: when something of the test's own world is missing.
    init(
        settings: [String: String] = [:], application: ApplicationSettings = ApplicationSettings(),
        caller: CurlCaller = FakeHost.caller, others: ProviderAddresses = ProviderAddresses()
    ) async throws {
        let clock = StandingClock()
        apple = try FakeApple(clock: clock, keys: [FakeHost.keys.get()[0]])
        privateKey = P256.Signing.PrivateKey()
        apple.register(team: Self.team, keyId: Self.keyId, publicKey: privateKey.publicKey)
        var addresses = others
        addresses.apple = await FakeHost.address(of: apple)
        server = try await TestServer(
            settings: settings, application: application, clock: clock, providers: addresses, caller: caller)
        try await configure()
    }

    func configure(
        audiences: [String] = [bundle, service], team: String = team, key: P256.Signing.PrivateKey? = nil
    ) async throws {
        try await server.modules.providers.setProvider(
            ProviderSettings(
                provider: .apple, audiences: audiences, teamId: team, keyId: Self.keyId,
                redirectURIs: ["https://example.com/back"]),
            secret: Secret((key ?? privateKey).pemRepresentation), of: server.application.id, by: .local)
    }

    /// The nonce as the app gives it to the sheet.
    static func hashed(_ nonce: String) -> String {
        SHA256.hash(data: Array(nonce.utf8)).map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0\(text)" : text
        }.joined()
    }

    /// A person whom Apple knows.
    static let hana = FakeApple.Person(subject: "001234.hana.0099", email: "hana@example.com")

    /// Signs a person in at Apple.
    func credential(
        _ person: FakeApple.Person = hana, nonce: String = nonce, claims: [String: JSONValue] = [:]
    ) throws -> FakeApple.Credential {
        try apple.signIn(person, audience: Self.bundle, nonce: Self.hashed(nonce), claims: claims)
    }

    /// The body of a log-in or link.
    static func body(
        token: String? = nil, code: String? = nil, nonce: String? = nonce, name: String? = nil, clientId: String? = nil
    ) throws -> String {
        var body = ProviderLogInBody(idToken: token, nonce: nonce, authorizationCode: code, name: name)
        body.clientId = clientId
        return String(decoding: try JSONEncoder().encode(body), as: UTF8.self)
    }

    func logIn(
        token: String? = nil, code: String? = nil, nonce: String? = nonce, name: String? = nil,
        clientId: String? = nil, _ headers: [(String, String)] = [], device: ProofMaker? = nil
    ) async throws -> Answer {
        var headers = headers
        if let device {
            headers.append(("DPoP", try device.proof("POST", server.url("/v1/log-in/apple"), at: server.clock.now)))
        }
        return try await server.send(
            .post, "/v1/log-in/apple", headers,
            body: try Self.body(token: token, code: code, nonce: nonce, name: name, clientId: clientId))
    }

    /// A person whose log-in with token and code succeeded.
    func person(_ person: FakeApple.Person = hana, device: ProofMaker? = nil) async throws -> Person {
        let credential = try credential(person)
        let answer = try await logIn(token: credential.identityToken, code: credential.code, device: device)
        return Person(server: server, device: device ?? ProofMaker(), logIn: try answer.read(LogInResponse.self))
    }

    func notify(_ payload: String) async throws -> Answer {
        try await server.send(
            .post, APIPath.appleNotifications, body: #"{"payload":"\#(payload)"}"#, isNamed: false)
    }

    func userCount() async throws -> Int {
        try await server.modules.applications.listApplications().first { $0.application.id == server.application.id }?
            .userCount ?? 0
    }
}
