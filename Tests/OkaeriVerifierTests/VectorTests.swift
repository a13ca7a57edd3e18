import Foundation
import OkaeriVerifier
import OkaeriWire
import Testing

@Suite("The vectors for backends in all languages")
struct VectorTests {
    @Test("of tokens", arguments: Vectors.all.tokens)
    func token(vector: Vectors.Token) async throws {
        let verifier = try Vectors.tokenVerifier()
        #expect(await refusal { _ = try await verifier.verify(vector.token) } == vector.error)
    }

    @Test("of webhooks", arguments: Vectors.all.webhooks)
    func webhook(vector: Vectors.Webhook) async throws {
        let verifier = try WebhookVerifier(secrets: vector.secrets, clock: Vectors.clock)
        let body = Data(vector.body.utf8)
        #expect(await refusal { _ = try verifier.verify(body) { vector.headers[$0] } } == vector.error)
    }

    @Test("of requests", arguments: Vectors.all.requests)
    func request(vector: Vectors.Request) async throws {
        let verifier = RequestVerifier(
            tokens: try Vectors.tokenVerifier(),
            proofs: ProofVerifier(replays: MemoryReplayCache(clock: Vectors.clock), clock: Vectors.clock))
        let refused = await refusal {
            _ = try await verifier.verify(
                authorization: vector.authorization, proof: vector.dpop, method: vector.method, url: vector.url)
        }
        #expect(refused == vector.error)
    }

    @Test("give every claim, the standard ones in Swift's types")
    func claims() async throws {
        let vectors = Vectors.all
        let claims = try await Vectors.tokenVerifier().verify(try #require(vectors.tokens.first).token)
        #expect(claims.all == vectors.claims)
        #expect(claims.user == "00VHjA0kPq3ZsX1d" && claims.session == "00VHjB1nRs5YtW2e")
        #expect(claims.application == "00VHj9mrbT8wn7Qk" && claims.identifier != nil && !claims.isAnonymous)
        #expect(claims.roles == ["editor", "member"] && claims.permissions == ["articles:write"])
        #expect(claims.methods == ["pwd", "otp"] && claims.assurance == "2" && claims.keyThumbprint == nil)
        #expect(claims.expiresAt == Date(timeIntervalSince1970: TimeInterval(vectors.now + 540)))
        #expect(claims.authenticatedAt == Date(timeIntervalSince1970: TimeInterval(vectors.now - 3600)))
        #expect(claims["plan"] == ["name": "gold", "seats": 3])
    }

    @Test("give the event of a webhook")
    func event() throws {
        let vector = try #require(Vectors.all.webhooks.first)
        let verifier = try WebhookVerifier(secrets: vector.secrets, clock: Vectors.clock)
        let event = try verifier.verify(Data(vector.body.utf8)) { vector.headers[$0] }
        #expect(event.type == "user.merged" && event.position == 1201)
        #expect(event.data.user == "00VHjA0kPq3ZsX1d" && event.data.leftUser == "00VHjB1nRs5YtW2e")
    }

    @Test("take a proof once, and refuse everything when there is no room to remember it")
    func replay() async throws {
        let vector = try #require(Vectors.all.requests.first)
        func ask(_ verifier: RequestVerifier) async -> String? {
            await refusal {
                _ = try await verifier.verify(
                    authorization: vector.authorization, proof: vector.dpop, method: vector.method, url: vector.url)
            }
        }
        let cache = MemoryReplayCache(capacity: 1, clock: Vectors.clock)
        let verifier = RequestVerifier(
            tokens: try Vectors.tokenVerifier(), proofs: ProofVerifier(replays: cache, clock: Vectors.clock))
        #expect(await ask(verifier) == nil)
        #expect(await ask(verifier) == "proofReplayed")
        let full = MemoryReplayCache(capacity: 1, clock: Vectors.clock)
        #expect(try await full.isFirstUse(of: "another", until: Vectors.clock.now + 60))
        let blocked = RequestVerifier(
            tokens: try Vectors.tokenVerifier(), proofs: ProofVerifier(replays: full, clock: Vectors.clock))
        #expect(await ask(blocked) == "unavailable")
    }

    @Test(
        "hold for hostile texts too: none stops the process",
        arguments: ["", ".", "..", "a.b.c", "e30.e30.", "\u{1F1EF}"])
    func hostile(text: String) async throws {
        let verifier = try Vectors.tokenVerifier()
        for repeated in [text, String(repeating: text, count: 10_000)] {
            #expect(await refusal { _ = try await verifier.verify(repeated) } != nil)
        }
    }

    @Test("hold for a header of marks without an end: it is looked at by its bytes", .timeLimit(.minutes(1)))
    func marks() async throws {
        let marks = String(repeating: "\u{301}\u{316}", count: 200_000)
        let verifier = RequestVerifier(
            tokens: try Vectors.tokenVerifier(),
            proofs: ProofVerifier(replays: MemoryReplayCache(clock: Vectors.clock), clock: Vectors.clock))
        let url = try #require(Vectors.all.requests.first).url
        for (header, error) in [
            ("Bearer \(marks)", "malformed"), ("DPoP  \(marks)", "malformed"), ("\(marks) e30", "tokenMissing"),
            (marks, "tokenMissing"),
        ] {
            let refused = await refusal {
                _ = try await verifier.verify(authorization: header, proof: marks, method: "GET", url: url)
            }
            #expect(refused == error)
        }
        let keys = KeySet(
            url: FakeKeySource.url, source: FakeKeySource([.keys(try Vectors.keyBody(), cacheControl: marks)]),
            clock: Vectors.clock)
        let tokens = TokenVerifier(
            issuer: Vectors.all.issuer, audiences: [Vectors.all.audience], keys: keys, clock: Vectors.clock)
        let token = try #require(Vectors.all.tokens.first).token
        #expect(await refusal { _ = try await tokens.verify(token) } == nil)
    }

    @Test(
        "need secrets in the form of the specification",
        arguments: [[], [""], ["secret"], ["whsec_"], ["whsec_AAAA"], ["whsec_!!!!"]])
    func secrets(secrets: [String]) async {
        #expect(await refusal { _ = try WebhookVerifier(secrets: secrets) } == "secretMalformed")
    }
}
