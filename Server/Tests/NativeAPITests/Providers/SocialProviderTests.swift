import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import OutboundServices
import Synchronization
import Testing

/// Plays what Facebook's Graph API and X's API say about access tokens.
private final class FakeSocial: FakeProvider {
    let answers = Mutex<[String: FakeResponse]>([:])
    let requests = Mutex<[FakeRequest]>([])

    func answer(_ request: FakeRequest) async -> FakeResponse {
        requests.withLock { $0.append(request) }
        return answers.withLock { $0[request.path] } ?? FakeResponse(404)
    }
}

private struct SocialWorld {
    let server: TestServer
    let social = FakeSocial()
    let key: FakeKey

    init() async throws {
        key = try FakeHost.keys.get()[0]
        let base = await FakeHost.address(of: social)
        var addresses = ProviderAddresses()
        addresses.facebookGraph = base
        addresses.facebookKeySet = "\(base)/keys"
        addresses.twitter = base
        addresses.googleTokenInfo = "\(base)/tokeninfo"
        let members = try key.publicMembers()
        social.answers.withLock { $0["/keys"] = FakeResponse(200, ["keys": [members]]) }
        server = try await TestServer(providers: addresses, caller: FakeHost.caller)
        for provider in [Identity.Provider.facebook, .twitter, .google] {
            try await server.modules.providers.setProvider(
                ProviderSettings(provider: provider, audiences: ["app-one"]), secret: Secret("secret"),
                of: server.application.id, by: .local)
        }
    }

    func logIn(_ provider: String, _ body: ProviderLogInBody) async throws -> Answer {
        try await server.send(
            .post, "/v1/log-in/\(provider)", body: String(decoding: try JSONEncoder().encode(body), as: UTF8.self))
    }

    func token(_ claims: [String: JSONValue]) throws -> String {
        let now = server.clock.now.milliseconds / 1000
        let right: [String: JSONValue] = [
            "iss": "https://www.facebook.com", "aud": "app-one", "sub": "f1", "nonce": "n", "iat": .integer(now),
            "exp": .integer(now + 3600), "name": "花", "email": "hana@example.com",
        ]
        return try key.token(right.merging(claims) { $1 })
    }
}

@Suite("Facebook and X")
struct SocialProviderTests {
    @Test(
        "Facebook's Limited Login is checked by its keys and the plain nonce",
        arguments: [
            ([:], 201), (["aud": "app-two"], 401), (["nonce": "m"], 401), (["iss": "https://facebook.example"], 401),
        ] as [([String: JSONValue], Int)])
    func limitedLogIn(claims: [String: JSONValue], status: Int) async throws {
        let world = try await SocialWorld()
        let answer = try await world.logIn(
            "facebook", ProviderLogInBody(idToken: try world.token(claims), nonce: "n"))
        #expect(answer.status == status, "\(answer.text)")
        if status == 201 {
            let user = try answer.read(LogInResponse.self).user
            #expect(user.displayName == "花" && user.email == nil)
        }
    }

    @Test(
        "Facebook's access tokens count when Facebook says that they are for this app",
        arguments: [
            (["is_valid": true, "app_id": "app-one", "user_id": "f1"], 201),
            (["is_valid": true, "app_id": "app-two", "user_id": "f1"], 401),
            (["is_valid": false, "app_id": "app-one", "user_id": "f1"], 401),
            (["is_valid": true, "app_id": "app-one"], 401),
        ] as [([String: JSONValue], Int)])
    func accessToken(data: [String: JSONValue], status: Int) async throws {
        let world = try await SocialWorld()
        world.social.answers.withLock { $0["/debug_token"] = FakeResponse(200, ["data": .object(data)]) }
        let answer = try await world.logIn("facebook", ProviderLogInBody(accessToken: "a&b"))
        #expect(answer.status == status, "\(answer.text)")
        let request = try #require(world.social.requests.withLock { $0.first })
        #expect(request.query["input_token"] == "a&b" && request.headers["authorization"] == "OAuth app-one|secret")
    }

    @Test(
        "Google's access tokens count when Google says that they are for this app",
        arguments: [
            (200, ["aud": "app-one", "sub": "g1", "email": "hana@example.com", "email_verified": "true"], 201),
            (200, ["aud": "app-two", "sub": "g1"], 401), (200, ["aud": "app-one"], 401), (200, [:], 401),
            (400, ["error": "invalid_token"], 401), (500, [:], 503),
        ] as [(Int, [String: JSONValue], Int)])
    func googleAccessToken(answered: Int, claims: [String: JSONValue], status: Int) async throws {
        let world = try await SocialWorld()
        world.social.answers.withLock { $0["/tokeninfo"] = FakeResponse(answered, .object(claims)) }
        let answer = try await world.logIn("google", ProviderLogInBody(accessToken: "ya29.a&b"))
        #expect(answer.status == status, "\(answer.text)")
        let request = try #require(world.social.requests.withLock { $0.first })
        #expect(request.method == "POST" && request.body == Array("access_token=ya29.a%26b".utf8))
        if status == 201 { #expect(try answer.read(LogInResponse.self).user.identities.map(\.subject) == ["g1"]) }
    }

    @Test("X is asked with a signed request whose token it is (RFC 5849)")
    func twitter() async throws {
        let world = try await SocialWorld()
        let path = "/1.1/account/verify_credentials.json"
        world.social.answers.withLock { $0[path] = FakeResponse(200, ["id_str": "77", "name": "花"]) }
        let body = ProviderLogInBody(accessToken: "token", accessTokenSecret: "token secret")
        let answer = try await world.logIn("twitter", body)
        #expect(answer.status == 201, "\(answer.text)")
        #expect(try answer.read(LogInResponse.self).user.identities.map(\.subject) == ["77"])
        let header = try #require(world.social.requests.withLock { $0.first?.headers["authorization"] })
        for part in ["oauth_consumer_key=\"app-one\"", "oauth_token=\"token\"", "oauth_signature=\""] {
            #expect(header.contains(part), "\(header)")
        }
        world.social.answers.withLock { $0[path] = FakeResponse(401, ["errors": [["code": 89]]]) }
        expect(try await world.logIn("twitter", body), 401, .providerTokenInvalid)
    }

    @Test("X needs both parts of a token; neither takes a code without the address that it was sent to")
    func incomplete() async throws {
        let world = try await SocialWorld()
        expect(try await world.logIn("twitter", ProviderLogInBody(accessToken: "t")), 400, .invalidMember)
        for provider in ["facebook", "twitter"] {
            let answer = try await world.logIn(provider, ProviderLogInBody(authorizationCode: "c"))
            expect(answer, 400, .invalidMember)
        }
    }

    @Test("an answer that is none is the provider's fault", arguments: ["facebook", "twitter"])
    func nonsense(provider: String) async throws {
        let world = try await SocialWorld()
        world.social.answers.withLock { answers in
            answers["/debug_token"] = FakeResponse(200)
            answers["/1.1/account/verify_credentials.json"] = FakeResponse(200, [])
        }
        let body = ProviderLogInBody(accessToken: "t", accessTokenSecret: "s")
        expect(try await world.logIn(provider, body), 503, .providerUnavailable)
    }
}
