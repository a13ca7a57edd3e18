import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import OutboundServices
import Testing

/// A server whose application knows an OpenID Connect provider and Google.
struct OpenIDWorld: Sendable {
    static let client = "client-one"
    static let redirect = "com.example.app:/back"
    static let verifier = String(repeating: "v", count: 43)

    let server: TestServer
    let provider: FakeOpenID
    let google: FakeOpenID
    let address: String

    init(secret: String? = "the secret", takesSecretInForm: Bool = true, key: FakeKey? = nil) async throws {
        let clock = StandingClock()
        provider = FakeOpenID(clock: clock, key: try key ?? FakeHost.keys.get()[0])
        google = FakeOpenID(clock: clock, key: try FakeHost.keys.get()[1])
        address = await FakeHost.address(of: provider)
        var addresses = ProviderAddresses()
        addresses.google = await FakeHost.address(of: google)
        provider.listen(at: address, takesSecretInForm: takesSecretInForm)
        google.listen(at: addresses.google, issuer: "https://accounts.google.com")
        provider.register(client: Self.client, secret: secret)
        server = try await TestServer(clock: clock, providers: addresses, caller: FakeHost.caller)
        try await server.modules.providers.setProvider(
            ProviderSettings(
                provider: .init(rawValue: "oidc:work"), audiences: [Self.client], issuer: address,
                redirectURIs: [Self.redirect]),
            secret: secret.map { Secret($0) }, of: server.application.id, by: .local)
        try await server.modules.providers.setProvider(
            ProviderSettings(provider: .google, audiences: ["google-client"]), secret: nil,
            of: server.application.id, by: .local)
    }

    func logIn(_ body: ProviderLogInBody, with provider: String = "oidc:work") async throws -> Answer {
        try await server.send(
            .post, "/v1/log-in/\(provider)", body: String(decoding: try JSONEncoder().encode(body), as: UTF8.self))
    }

    func code(_ claims: [String: JSONValue], nonce: String? = nil) -> ProviderLogInBody {
        let code = provider.code(
            claims, client: Self.client, redirectURI: Self.redirect, verifier: Self.verifier)
        return ProviderLogInBody(
            nonce: nonce, authorizationCode: code, codeVerifier: Self.verifier, redirectUri: Self.redirect)
    }
}

@Suite("OpenID Connect providers")
struct OpenIDTests {
    @Test(
        "log a person in by code and PKCE, with one call for the code",
        arguments: [
            ("the secret", true), ("the secret", false), (nil, true),
        ] as [(String?, Bool)])
    func code(secret: String?, takesSecretInForm: Bool) async throws {
        let world = try await OpenIDWorld(secret: secret, takesSecretInForm: takesSecretInForm)
        let claims = world.provider.claims(
            subject: "hana", audience: OpenIDWorld.client, nonce: "n",
            more: ["name": "花", "email": "hana@example.com", "email_verified": true])
        let answer = try await world.logIn(world.code(claims, nonce: "n"))
        #expect(answer.status == 201, "\(answer.text)")
        let user = try answer.read(LogInResponse.self).user
        #expect(user.displayName == "花" && user.email == "hana@example.com" && user.emailVerified)
        #expect(user.identities.map(\.provider) == ["oidc:work"] && user.identities.map(\.subject) == ["hana"])
        let calls = world.provider.calls.map(\.path)
        #expect(calls.count { $0 == "/token" } == 1 && calls.count { $0 == "/keys" } == 1)
    }

    @Test("are asked with keys of either kind", arguments: [true, false])
    func keys(isElliptic: Bool) async throws {
        let world = try await OpenIDWorld(key: isElliptic ? FakeKey.p256(id: "ec") : nil)
        let token = try world.provider.key.token(
            world.provider.claims(subject: "hana", audience: OpenIDWorld.client))
        #expect(try await world.logIn(ProviderLogInBody(idToken: token)).status == 201)
    }

    @Test("with a single key need not name it, and are asked for their key again when a signature does not fit it")
    func keyWithoutId() async throws {
        let first = FakeKey.p256(id: "")
        let world = try await OpenIDWorld(key: first)
        func logIn(_ key: FakeKey) async throws -> Answer {
            let claims = world.provider.claims(subject: "hana", audience: OpenIDWorld.client)
            return try await world.logIn(ProviderLogInBody(idToken: try key.token(claims)))
        }
        #expect(try await logIn(first).status == 201)
        let next = FakeKey.p256(id: "")
        expect(try await logIn(next), 401, .providerTokenInvalid)
        world.provider.rotate(to: next)
        world.server.clock.advance(by: .seconds(31))
        #expect(try await logIn(next).status == 200)
        expect(try await logIn(first), 401, .providerTokenInvalid)
        // Among two keys a token says by which it is signed.
        let two: JSONValue = ["keys": [try first.publicMembers(), try next.publicMembers()]]
        let keys = try #require(OutboundServices.KeySet(parsing: Array(try JSONEncoder().encode(two))))
        #expect(keys.single == nil)
        // Who always names the key has not signed a token that names none.
        let nameless = try world.google.key.token(
            world.google.claims(subject: "1234", audience: "google-client"), header: ["kid": nil])
        expect(
            try await world.logIn(ProviderLogInBody(idToken: nameless), with: "google"), 401, .providerTokenInvalid)
    }

    @Test("are a hundred in an application at the most, of which each can be changed")
    func hundred() async throws {
        let world = try await OpenIDWorld()
        func set(_ name: String) async throws(DomainError) {
            try await world.server.modules.providers.setProvider(
                ProviderSettings(provider: .init(rawValue: "oidc:\(name)"), audiences: ["a"], issuer: world.address),
                secret: nil, of: world.server.application.id, by: .local)
        }
        // Two are there.
        for number in 2..<SetProvider.maximumPerApplication { try await set("p\(number)") }
        do throws(DomainError) {
            try await set("another")
            Issue.record("there is one more")
        } catch {
            #expect(error.validationErrors?.map(\.field) == ["provider"])
        }
        try await set("work")
    }

    @Test("say of themselves, and of their keys, what is of a usual length: it is kept, as many as there are")
    func longDescriptions() throws {
        func description(_ length: Int) -> OpenIDDescription? {
            let issuer = "https://id.example.com"
            let body = """
                {"issuer": "\(issuer)", "jwks_uri": "\(issuer)/keys",
                "token_endpoint": "\(issuer)/\(String(repeating: "a", count: length))"}
                """
            return OpenIDDescription(
                parsing: Array(body.utf8), readFrom: "\(issuer)/.well-known/openid-configuration"
            ) { _ in true }
        }
        #expect(description(1900) != nil && description(2000) == nil)
        let (short, long) = (String(repeating: "s", count: 1000), String(repeating: "l", count: 1001))
        let set: JSONValue = [
            "keys": [try FakeKey.p256(id: short).publicMembers(), try FakeKey.p256(id: long).publicMembers()]
        ]
        let keys = try #require(OutboundServices.KeySet(parsing: Array(try JSONEncoder().encode(set))))
        #expect(keys[short] != nil && keys[long] == nil)
    }

    @Test("are found with the colon of their name encoded, as many libraries send it")
    func encodedName() async throws {
        let world = try await OpenIDWorld()
        let token = try world.provider.key.token(
            world.provider.claims(subject: "hana", audience: OpenIDWorld.client))
        #expect(try await world.logIn(ProviderLogInBody(idToken: token), with: "oidc%3Awork").status == 201)
        for name in ["oidc%3", "oidc%3Ano", "%ff"] {
            expect(
                try await world.logIn(ProviderLogInBody(idToken: token), with: name), 404, .providerNotEnabled)
        }
    }

    @Test("keep an address that they have not verified out of the account")
    func unverifiedAddress() async throws {
        let world = try await OpenIDWorld()
        let token = try world.provider.key.token(
            world.provider.claims(
                subject: "hana", audience: OpenIDWorld.client, more: ["email": "boss@example.com"]))
        let user = try await world.logIn(ProviderLogInBody(idToken: token)).read(LogInResponse.self).user
        #expect(user.email == nil)
    }

    @Test("need verifier and address with a code", arguments: ["codeVerifier", "redirectUri"])
    func incomplete(member: String) async throws {
        let world = try await OpenIDWorld()
        var body = world.code(world.provider.claims(subject: "hana", audience: OpenIDWorld.client))
        if member == "codeVerifier" { body.codeVerifier = nil } else { body.redirectUri = nil }
        let answer = try await world.logIn(body)
        expect(answer, 400, .invalidMember)
        #expect(try answer.read(Problem.self).errors?.map(\.field) == [member])
        #expect(!world.provider.calls.contains { $0.path == "/token" })
    }

    @Test("refuse a code with another verifier")
    func otherVerifier() async throws {
        let world = try await OpenIDWorld()
        var body = world.code(world.provider.claims(subject: "hana", audience: OpenIDWorld.client))
        body.codeVerifier = String(repeating: "w", count: 43)
        expect(try await world.logIn(body), 401, .providerRefused)
    }

    @Test(
        "need the nonce that is in the token, and in the token the nonce that was sent",
        arguments: [
            ("n", nil), (nil, "n"), ("n", "m"),
        ] as [(String?, String?)])
    func nonce(received: String?, sent: String?) async throws {
        let world = try await OpenIDWorld()
        let token = try world.provider.key.token(
            world.provider.claims(subject: "hana", audience: OpenIDWorld.client, nonce: received))
        expect(
            try await world.logIn(ProviderLogInBody(idToken: token, nonce: sent)), 401, .providerTokenInvalid)
    }

    @Test("with a secret that is wrong are the operator's matter")
    func wrongSecret() async throws {
        let world = try await OpenIDWorld()
        world.provider.register(client: OpenIDWorld.client, secret: "another")
        let claims = world.provider.claims(subject: "hana", audience: OpenIDWorld.client)
        expect(try await world.logIn(world.code(claims)), 502, .providerMisconfigured)
    }

    @Test("whose description speaks for another issuer are not believed")
    func otherIssuer() async throws {
        let world = try await OpenIDWorld()
        world.provider.listen(at: world.address, issuer: "http://127.0.0.1:1/other")
        let claims = world.provider.claims(subject: "hana", audience: OpenIDWorld.client)
        expect(try await world.logIn(world.code(claims)), 502, .providerMisconfigured)
    }

    @Test("cannot send this server to its own machine from outside (requirement 44)")
    func description() {
        let text = """
            {"issuer": "https://id.example.com", "token_endpoint": "http://127.0.0.1:9000/token",
             "jwks_uri": "https://id.example.com/keys"}
            """
        let address = "https://id.example.com/.well-known/openid-configuration"
        let mayAsk = { FakeHost.policy.target(of: $0) != nil }
        #expect(OpenIDDescription(parsing: Array(text.utf8), readFrom: address, mayAsk: mayAsk) == nil)
        let right = text.replacing("http://127.0.0.1:9000", with: "https://x")
        #expect(OpenIDDescription(parsing: Array(right.utf8), readFrom: address, mayAsk: mayAsk) != nil)
    }

    @Test(
        "of Google are found under both of its names",
        arguments: [
            ("https://accounts.google.com", 201), ("accounts.google.com", 201), ("https://google.example.com", 401),
        ])
    func google(issuer: String, status: Int) async throws {
        let world = try await OpenIDWorld()
        let token = try world.google.key.token(
            world.google.claims(subject: "g", audience: "google-client", more: ["iss": .string(issuer)]))
        #expect(try await world.logIn(ProviderLogInBody(idToken: token), with: "google").status == status)
    }

    @Test("with tokens of another provider are refused")
    func mixUp() async throws {
        let world = try await OpenIDWorld()
        let token = try world.provider.key.token(
            world.provider.claims(subject: "hana", audience: OpenIDWorld.client))
        expect(
            try await world.logIn(ProviderLogInBody(idToken: token), with: "google"), 401, .providerTokenInvalid)
    }

    @Test("are asked to revoke their grant when they are unlinked")
    func revocation() async throws {
        let world = try await OpenIDWorld()
        let device = ProofMaker()
        let claims = world.provider.claims(subject: "hana", audience: OpenIDWorld.client)
        let path = "/v1/log-in/oidc:work"
        let proof = try device.proof("POST", world.server.url(path), at: world.server.clock.now)
        let answer = try await world.server.send(
            .post, path, [("DPoP", proof)],
            body: String(decoding: try JSONEncoder().encode(world.code(claims)), as: UTF8.self))
        let person = Person(server: world.server, device: device, logIn: try answer.read(LogInResponse.self))
        #expect(try await person.send(.delete, "/v1/user/identities/oidc:work").status == 200)
        #expect(try await world.server.modules.providers.revokeGrants() == .init(revoked: 1))
        #expect(world.provider.revoked.count == 1)
    }

    @Test("tell whether their settings are right")
    func check() async throws {
        let world = try await OpenIDWorld()
        let (modules, application) = (world.server.modules, world.server.application.id)
        #expect(try await modules.providers.checkProvider(.init(rawValue: "oidc:work"), of: application) == .accepted)
        world.provider.register(client: OpenIDWorld.client, secret: "another")
        #expect(
            try await modules.providers.checkProvider(.init(rawValue: "oidc:work"), of: application)
                == .refused(answer: "invalid_client"))
    }
}
