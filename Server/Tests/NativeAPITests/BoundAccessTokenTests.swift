import Domain
import Foundation
import HTTPTypes
import Okaeri
import OkaeriVerifier
import OkaeriWire
import Testing

/// A backend that verifies what the server mints, with the library for backends.
@Suite("Access tokens at a backend")
struct BoundAccessTokenTests {
    private static let audience = "https://game.test"

    /// The server's keys, asked for by the route.
    private struct Keys: KeySetSource {
        let server: TestServer

        func keySet(at url: URL) async throws -> KeySetAnswer {
            let answer = try await server.send(.get, APIPath.keySet, isNamed: false)
            return KeySetAnswer(body: Data(answer.text.utf8), cacheControl: answer.headers[.cacheControl])
        }
    }

    /// A cache between the backend and the server, which keeps a response for as long as that permits.
    private actor CachedKeys: KeySetSource {
        private let server: TestServer
        private var kept: (answer: KeySetAnswer, until: Timestamp)?

        init(server: TestServer) {
            self.server = server
        }

        func keySet(at url: URL) async throws -> KeySetAnswer {
            if let kept, server.clock.now < kept.until { return kept.answer }
            let answer = try await Keys(server: server).keySet(at: url)
            kept = (answer, server.clock.now + .seconds(300))
            return answer
        }
    }

    private struct Now: VerifierClock {
        let server: TestServer
        var now: Date { Date(timeIntervalSince1970: Double(server.clock.now.milliseconds) / 1000) }
    }

    private static func server() async throws -> TestServer {
        try await TestServer(
            settings: ["public-url": TestServer.url], application: ApplicationSettings(audiences: [audience]))
    }

    private static func verifier(
        _ server: TestServer, askingBy source: (any KeySetSource)? = nil
    ) throws -> RequestVerifier {
        let clock = Now(server: server)
        let url = try #require(URL(string: TestServer.url + APIPath.keySet))
        return RequestVerifier(
            tokens: TokenVerifier(
                issuer: TestServer.url, audiences: [audience],
                keys: KeySet(url: url, source: source ?? Keys(server: server), clock: clock), clock: clock),
            proofs: OkaeriVerifier.ProofVerifier(replays: MemoryReplayCache(clock: clock), clock: clock))
    }

    @Test("count until they end, and after a rotation of the keys")
    func bearer() async throws {
        let server = try await Self.server()
        let (verifier, okaeri) = (try Self.verifier(server), try SDKClient.make(server))
        let user = try await okaeri.logInAutomatically().user.id
        let url = try #require(URL(string: "\(Self.audience)/me"))
        let token = try await okaeri.accessToken(for: Self.audience)
        func verify(_ token: AccessToken) async throws(VerificationError) -> AccessTokenClaims {
            try await verifier.verify(authorization: "Bearer \(token.value)", proof: nil, method: "GET", url: url)
        }
        let claims = try await verify(token)
        #expect(claims.user == user && claims.application == server.application.id.rawValue && claims.isAnonymous)
        #expect(claims.keyThumbprint == nil && claims.session != nil)
        server.clock.advance(by: .seconds(600 + 31))
        await #expect(throws: VerificationError.expired) { try await verify(token) }
        _ = try await server.modules.sessions.rotateSigningKeys(by: .local)
        #expect(try await verify(try await okaeri.accessToken(for: Self.audience)).user == user)
    }

    @Test("count at every moment after a rotation, also at a backend whose cache keeps the key set while it may")
    func cachedKeySet() async throws {
        let server = try await Self.server()
        let person = try await server.person()
        let verifier = try Self.verifier(server, askingBy: CachedKeys(server: server))
        let url = try #require(URL(string: "\(Self.audience)/me"))
        func verifyNew() async throws -> String {
            let answer = try await person.send(.post, APIPath.token, body: #"{"audience": "\#(Self.audience)"}"#)
            let token = try answer.read(TokenResponse.self).accessToken
            return try await verifier.verify(
                authorization: "Bearer \(token)", proof: nil, method: "GET", url: url
            ).user
        }
        let user = person.logIn.user.id
        #expect(try await verifyNew() == user)
        server.clock.advance(by: .seconds(1))
        let key = try await server.modules.sessions.rotateSigningKeys(by: .local).id
        // The last of them is signed by the new key.
        for _ in 0...4 {
            #expect(try await verifyNew() == user)
            server.clock.advance(by: .seconds(150))
        }
        #expect(try await server.modules.sessions.signingKeys().first?.id == key)
    }

    @Test("that are bound count with a proof of the device's key alone, once for each proof")
    func bound() async throws {
        let server = try await Self.server()
        let (verifier, okaeri) = (try Self.verifier(server), try SDKClient.make(server))
        try await okaeri.logInAutomatically()
        let url = try #require(URL(string: "\(Self.audience)/scores"))
        let token = try await okaeri.boundAccessToken(for: Self.audience)
        func verify(_ scheme: String, _ proof: String?) async throws(VerificationError) -> AccessTokenClaims {
            try await verifier.verify(
                authorization: "\(scheme) \(token.value)", proof: proof, method: "POST", url: url)
        }
        let proof = try await okaeri.proof(of: "post", url, with: token)
        #expect(try await verify("DPoP", proof).keyThumbprint?.utf8.count == 43)
        await #expect(throws: VerificationError.proofReplayed) { try await verify("DPoP", proof) }
        await #expect(throws: VerificationError.proofRequired) { try await verify("DPoP", nil) }
        await #expect(throws: VerificationError.proofRequired) { try await verify("Bearer", nil) }
        // Another device with the stolen token.
        let thief = try SDKClient.make(server)
        try await thief.logInAutomatically()
        let stolen = try await thief.proof(of: "POST", url, with: token)
        await #expect(throws: VerificationError.proofRefused) { try await verify("DPoP", stolen) }
        // The two kinds of tokens are kept apart.
        #expect(try await okaeri.accessToken(for: Self.audience) != token)
        #expect(try await okaeri.boundAccessToken(for: Self.audience) == token)
    }

    @Test("are not bound for a session without a key")
    func withoutKey() async throws {
        let server = try await Self.server()
        let signedUp = try await server.send(
            .post, APIPath.signUp, body: #"{"username": "hana", "password": "four quiet words"}"#)
        let token = try signedUp.read(LogInResponse.self).session.token
        let answer = try await server.send(
            .post, APIPath.token, [("Authorization", "Bearer \(token)")], body: #"{"isBound": true}"#)
        expect(answer, 400, .invalidMember)
        let bearer = try await server.send(
            .post, APIPath.token, [("Authorization", "Bearer \(token)")], body: #"{"isBound": false}"#)
        #expect(try bearer.read(TokenResponse.self).tokenType == "Bearer")
    }
}
