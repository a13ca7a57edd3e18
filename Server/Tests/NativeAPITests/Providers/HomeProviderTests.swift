import Crypto
import Domain
import FakeProviders
import Foundation
import OkaeriWire
import OutboundServices
import Testing

@Suite("Tokens of LINE, Kakao, Naver and Yahoo! JAPAN ID")
struct HomeProviderTests {
    private static let openID = ["line", "kakao", "yahoojapan"]

    @Test("log a person in by the identity token of an app's SDK", arguments: openID)
    func token(name: String) async throws {
        let world = try await HomeWorld()
        let token = try world.fake(name).key.token(
            world.claims(name, more: ["nickname": "花", "email": "hana@example.com"]))
        let answer = try await world.logIn(name, ProviderLogInBody(idToken: token, nonce: "n"))
        let user = try answer.read(LogInResponse.self).user
        #expect(answer.status == 201 && user.identities.map(\.provider) == [name] && user.displayName == "花")
        // None of them says that it has seen mail arrive there.
        #expect(user.email == nil)
        expect(
            try await world.logIn(name, ProviderLogInBody(idToken: token, nonce: "n")), 401, .providerTokenReplayed)
    }

    @Test("LINE's tokens of the web count by the channel secret, and by no other key")
    func sharedSecret() async throws {
        let world = try await HomeWorld()
        let line = try world.fake("line")
        let claims = try world.claims("line")
        let right = try FakeKey.token(claims, secret: HomeWorld.secret)
        #expect(try await world.logIn("line", ProviderLogInBody(idToken: right, nonce: "n")).status == 201)
        let members = try JSONEncoder().encode(line.key.publicMembers())
        for secret in [
            line.key.publicPEM, String(decoding: members, as: UTF8.self), "", HomeWorld.client,
            HomeWorld.secret.uppercased(),
        ] {
            let token = try FakeKey.token(claims, secret: secret)
            let answer = try await world.logIn("line", ProviderLogInBody(idToken: token, nonce: "n"))
            expect(answer, 401, .providerTokenInvalid)
            #expect(try answer.read(Problem.self).detail?.contains("signature") == true)
        }
        let calls = line.calls.map(\.path)
        #expect(!calls.contains("/keys"), "A token that no key signed asks nobody for keys.")
    }

    @Test("a client secret signs nothing where tokens have keys", arguments: ["kakao", "yahoojapan"])
    func confusion(name: String) async throws {
        let world = try await HomeWorld()
        for secret in [HomeWorld.secret, try world.fake(name).key.publicPEM] {
            let token = try FakeKey.token(try world.claims(name), secret: secret)
            let answer = try await world.logIn(name, ProviderLogInBody(idToken: token, nonce: "n"))
            expect(answer, 401, .providerTokenInvalid)
            #expect(try answer.read(Problem.self).detail?.contains("alg") == true)
        }
    }

    @Test("LINE's channel secret is as long as HS256 wants, or the settings are refused", arguments: [0, 1, 31])
    func shortSecret(length: Int) async throws {
        let world = try await HomeWorld()
        await #expect(throws: DomainError.self) {
            try await world.set(
                "line", audiences: [HomeWorld.client], secret: String(repeating: "x", count: length))
        }
    }

    @Test(
        "are refused by name", arguments: openID,
        [
            (["iss": "https://access.line.me.example.com"], "iss"), (["aud": "another-client"], "aud"),
            (["aud": ["another-client", "client-one"], "azp": "another-client"], "aud"),
            (["nonce": "m"], "nonce"), (["nonce": .null], "nonce"), (["nonce": 1], "nonce"),
            (["iat": 99_999_999_999], "iat"), (["iat": .integer(.max)], "iat"), (["exp": .integer(.min)], "expired"),
            (["exp": .number(1e300)], "expired"), (["exp": 1], "expired"), (["sub": ""], "sub"),
            (["sub": ["hana"]], "sub"), (["sub": .string(String(repeating: "s", count: 256))], "sub"),
        ] as [([String: JSONValue], String)])
    func hostile(name: String, fault: ([String: JSONValue], String)) async throws {
        let world = try await HomeWorld()
        let claims = try world.claims(name, more: fault.0).filter { $0.value != .null }
        var tokens = [try world.fake(name).key.token(claims)]
        if name == "line" { tokens.append(try FakeKey.token(claims, secret: HomeWorld.secret)) }
        for token in tokens {
            let answer = try await world.logIn(name, ProviderLogInBody(idToken: token, nonce: "n"))
            expect(answer, 401, .providerTokenInvalid)
            #expect(try answer.read(Problem.self).detail?.contains(fault.1) == true, "\(answer.text)")
        }
    }

    @Test("without a signature, or too deep, are refused", arguments: openID)
    func unsigned(name: String) async throws {
        let world = try await HomeWorld()
        let claims = try world.claims(name)
        let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        for token in [
            try FakeKey.signedPart(header: ["alg": "none"], claims) + ".",
            try FakeKey.signedPart(header: ["alg": "HS256"], claims) + ".",
            try FakeKey.signedPart(header: ["alg": "hs256"], claims) + ".AA",
            "\(Base64URL.text(of: Array(#"{"alg":"HS256"}"#.utf8))).\(Base64URL.text(of: Array(deep.utf8))).AA",
        ] {
            expect(
                try await world.logIn(name, ProviderLogInBody(idToken: token, nonce: "n")), 401, .providerTokenInvalid)
        }
    }

    @Test("LINE's access tokens count when LINE says that they are for this channel, and live")
    func accessToken() async throws {
        let world = try await HomeWorld()
        let line = try world.fake("line")
        let right = line.accessToken(subject: "hana", client: HomeWorld.client)
        let answer = try await world.logIn("line", ProviderLogInBody(accessToken: right))
        #expect(answer.status == 201, "\(answer.text)")
        let user = try answer.read(LogInResponse.self).user
        #expect(user.identities.map(\.subject) == ["hana"] && user.displayName == "花")
        let old = line.accessToken(
            subject: "hana", client: HomeWorld.client, issuedAt: world.server.clock.now - .days(30))
        for token in [line.accessToken(subject: "hana", client: "another-channel"), old, "invented&client_id=x"] {
            expect(
                try await world.logIn("line", ProviderLogInBody(accessToken: token)), 401, .providerTokenInvalid)
        }
        // One that would go on in a header of its own is asked about nowhere.
        let asked = line.calls.count
        for end in ["\r\nX-More: 1", "\u{0}", " "] {
            expect(
                try await world.logIn("line", ProviderLogInBody(accessToken: right + end)), 401, .providerTokenInvalid)
        }
        #expect(line.calls.count == asked)
    }

    @Test("Kakao's tokens of the native app have the native key as their audience")
    func nativeApp() async throws {
        let world = try await HomeWorld()
        let key = try world.fake("kakao").key
        let native = try key.token(world.claims("kakao", more: ["aud": .string(HomeWorld.nativeApp)]))
        #expect(try await world.logIn("kakao", ProviderLogInBody(idToken: native, nonce: "n")).status == 201)
        // The sign for kelvin is the same character as K, and another client.
        for other in ["the-key-of-another-app", "native-app-\u{212A}EY"] {
            let foreign = try key.token(world.claims("kakao", more: ["aud": .string(other)]))
            expect(
                try await world.logIn("kakao", ProviderLogInBody(idToken: foreign, nonce: "n")), 401,
                .providerTokenInvalid)
        }
    }

    @Test(
        "Yahoo! JAPAN's token of a code fits the access token beside it, and says when the person logged in",
        arguments: [
            ([:], 201, ""), (["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"], 401, "at_hash"), (["at_hash": 1], 401, "at_hash"),
            (["auth_time": 99_999_999_999], 401, "auth_time"), (["auth_time": .null], 401, "auth_time"),
            (["auth_time": .integer(.max)], 401, "auth_time"), (["auth_time": "now"], 401, "auth_time"),
        ] as [([String: JSONValue], Int, String)])
    func accessTokenHash(claims: [String: JSONValue], status: Int, word: String) async throws {
        let world = try await HomeWorld()
        let verifier = String(repeating: "v", count: 43)
        let code = try world.fake("yahoojapan").code(
            try world.claims("yahoojapan", more: claims), client: HomeWorld.client,
            redirectURI: world.callback("yahoojapan"), verifier: verifier)
        let answer = try await world.logIn(
            "yahoojapan",
            ProviderLogInBody(
                nonce: "n", authorizationCode: code, codeVerifier: verifier, redirectUri: world.callback("yahoojapan")))
        #expect(answer.status == status, "\(answer.text)")
        if status != 201 { #expect(try answer.read(Problem.self).detail?.contains(word) == true) }
    }

    @Test("Naver's access tokens are refused, because nobody knows for whom they were made")
    func naverToken() async throws {
        let world = try await HomeWorld()
        for body in [ProviderLogInBody(accessToken: "token-1"), ProviderLogInBody(idToken: "a.b.c")] {
            expect(try await world.logIn("naver", body), 401, .providerTokenInvalid)
        }
        #expect(world.naver.calls.isEmpty)
    }

    @Test("Naver's codes need the state that came with them")
    func naverCode() async throws {
        let world = try await HomeWorld()
        func body(_ state: String?, sent: String) -> ProviderLogInBody {
            var body = ProviderLogInBody(authorizationCode: world.naver.code(user: "hana", state: sent))
            body.state = state
            return body
        }
        let missing = try await world.logIn("naver", body(nil, sent: "s"))
        expect(missing, 400, .invalidMember)
        #expect(try missing.read(Problem.self).errors?.map(\.field) == ["state"])
        expect(try await world.logIn("naver", body("t", sent: "s")), 401, .providerRefused)
        let right = try await world.logIn("naver", body("s", sent: "s"))
        #expect(try right.read(LogInResponse.self).user.displayName == "하나")
    }

    @Test(
        "an answer that is none, or leads elsewhere, makes nobody", arguments: HomeWorld.browsers,
        [
            FakeResponse(200), FakeResponse(503), FakeResponse(302, location: "https://evil.example/"),
            FakeResponse(200, []),
        ])
    func nonsense(name: String, answer: FakeResponse) async throws {
        let world = try await HomeWorld()
        if name == "naver" { world.naver.fail(with: answer) } else { try world.fake(name).fail(with: answer) }
        var body = ProviderLogInBody(
            nonce: "n", authorizationCode: "c", codeVerifier: String(repeating: "v", count: 43),
            redirectUri: world.callback(name))
        body.state = "s"
        expect(try await world.logIn(name, body), 503, .providerUnavailable)
    }
}
