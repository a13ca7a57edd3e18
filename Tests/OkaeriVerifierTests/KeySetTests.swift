import Foundation
import OkaeriWire
import Testing

@testable import OkaeriVerifier

@Suite("The key set of a server")
struct KeySetTests {
    /// A clock that is moved by hand.
    final class HandClock: VerifierClock, @unchecked Sendable {
        // Guarded by the lock.
        private var moment = Vectors.clock.now
        private let lock = NSLock()

        var now: Date { lock.withLock { moment } }
        func advance(_ seconds: TimeInterval) { lock.withLock { moment += seconds } }
    }

    private let clock = HandClock()
    private let good: Data
    private let other: Data
    private let token: String

    init() throws {
        good = try Vectors.keyBody()
        token = try #require(Vectors.all.tokens.first).token
        guard case .object(var members) = Vectors.all.keySet, case .array(let keys)? = members["keys"] else {
            throw VerificationError.malformed
        }
        members["keys"] = .array(Array(keys.dropFirst()))
        other = try JSONEncoder().encode(JSONValue.object(members))
    }

    /// Verifies the signature of a token that has not ended yet, whatever the hand clock shows.
    private func verifier(_ source: FakeKeySource) -> TokenVerifier {
        TokenVerifier(
            issuer: Vectors.all.issuer, audiences: [Vectors.all.audience],
            keys: KeySet(url: FakeKeySource.url, source: source, clock: clock), clock: Vectors.clock)
    }

    private func ask(_ verifier: TokenVerifier) async -> String? {
        await refusal { _ = try await verifier.verify(token) }
    }

    @Test("is given up when its time is over, although the request itself has not ended", .timeLimit(.minutes(5)))
    func timeLimit() async throws {
        let fault = await #expect(throws: URLError.self) {
            try await SystemKeySetSource.within(.zero) {
                try await Task.sleep(for: .seconds(3600))
                return 0
            }
        }
        #expect(fault?.code == .timedOut)
        let value = try await SystemKeySetSource.within(.seconds(3600)) { 1 }
        #expect(value == 1)
    }

    @Test(
        "is asked for once until its time has ended",
        arguments: [
            ("public, max-age=300", 300), ("max-age=1", 60), (nil, 300), ("no-store", 60), ("max-age=soon", 300),
            ("MAX-AGE=99999999999999999999", 86_400),
        ] as [(String?, TimeInterval)])
    func lifetime(header: String?, seconds: TimeInterval) async throws {
        let source = FakeKeySource([.keys(good, cacheControl: header)])
        let verifier = verifier(source)
        for _ in 0..<10 { #expect(await ask(verifier) == nil) }
        clock.advance(seconds - 1)
        #expect(await ask(verifier) == nil)
        #expect(await source.asked == 1)
        clock.advance(1)
        #expect(await ask(verifier) == nil)
        #expect(await source.asked == 2)
    }

    @Test("is asked for once by all who wait for it")
    func singleFlight() async throws {
        let source = FakeKeySource([.keys(good)])
        await source.hold()
        let verifier = verifier(source)
        let outcomes = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<50 { group.addTask { await ask(verifier) } }
            while await source.asked == 0 { await Task.yield() }
            await source.release()
            return await group.reduce(into: [String?]()) { $0.append($1) }
        }
        #expect(outcomes.count == 50 && outcomes.allSatisfy { $0 == nil })
        #expect(await source.asked == 1)
    }

    @Test("is asked for before its time for an unknown key, once a minute at the most")
    func unknownKey() async throws {
        let source = FakeKeySource([.keys(other), .keys(other), .keys(good)])
        let verifier = verifier(source)
        #expect(await ask(verifier) == "keyUnknown")
        for _ in 0..<10 { #expect(await ask(verifier) == "keyUnknown") }
        #expect(await source.asked == 2)
        clock.advance(60)
        #expect(await ask(verifier) == nil)
        #expect(await source.asked == 3)
    }

    @Test("is asked for again although the clock was put back by an hour since it failed, or since a key was unknown")
    func clockPutBack() async throws {
        let failing = verifier(FakeKeySource([.failure, .keys(good)]))
        #expect(await ask(failing) == "unavailable")
        let unknowing = verifier(FakeKeySource([.keys(other), .keys(other), .keys(good)]))
        for _ in 0..<2 { #expect(await ask(unknowing) == "keyUnknown") }
        clock.advance(-3600)
        #expect(await ask(failing) == nil)
        #expect(await ask(unknowing) == nil)
    }

    @Test("is asked for when a clock that was ahead is put back: a key that is gone counts for no year")
    func clockWasAhead() async throws {
        let source = FakeKeySource([.keys(good), .failure, .keys(other)])
        let verifier = verifier(source)
        clock.advance(365 * 86_400)
        #expect(await ask(verifier) == nil)
        clock.advance(-365 * 86_400)
        #expect(await ask(verifier) == nil)
        #expect(await source.asked == 2)
        clock.advance(60)
        #expect(await ask(verifier) == "keyUnknown")
        let away = self.verifier(FakeKeySource([.keys(good), .failure]))
        clock.advance(365 * 86_400)
        #expect(await ask(away) == nil)
        clock.advance(-365 * 86_400)
        #expect(await ask(away) == nil)
        clock.advance(3600)
        #expect(await ask(away) == "unavailable")
    }

    @Test("counts for an hour more while the server cannot be reached, and for no longer")
    func outage() async throws {
        let source = FakeKeySource([.keys(good, cacheControl: "max-age=300"), .failure])
        let verifier = verifier(source)
        #expect(await ask(verifier) == nil)
        clock.advance(300)
        for _ in 0..<10 { #expect(await ask(verifier) == nil) }
        // Within five seconds nobody waits for the server again.
        #expect(await source.asked == 2)
        clock.advance(3599)
        #expect(await ask(verifier) == nil)
        clock.advance(1)
        #expect(await ask(verifier) == "unavailable")
    }

    @Test("is waited for by nobody while the server is known to be away", .timeLimit(.minutes(5)))
    func silentOutage() async throws {
        let source = FakeKeySource([.keys(good), .failure, .keys(other)])
        let verifier = verifier(source)
        #expect(await ask(verifier) == nil)
        clock.advance(300)
        #expect(await ask(verifier) == nil)
        clock.advance(5)
        // The next attempt gets no answer at all, and the one after it what the server has by then.
        await source.hold()
        for _ in 0..<10 { #expect(await ask(verifier) == nil) }
        while await source.asked < 3 { await Task.yield() }
        #expect(await source.asked == 3)
        await source.release()
        while await ask(verifier) == nil { await Task.yield() }
        #expect(await ask(verifier) == "keyUnknown")
    }

    @Test(
        "stays as it is when an answer holds none that can be used",
        arguments: [
            "", "[]", "{}", #"{"keys": []}"#, #"{"keys": [{"kty": "RSA", "kid": "a"}]}"#, #"{"keys": {}}"#, "<html>",
        ])
    func unusable(body: String) async throws {
        let source = FakeKeySource([.keys(good), .keys(Data(body.utf8))])
        let verifier = verifier(source)
        #expect(await ask(verifier) == nil)
        clock.advance(300)
        #expect(await ask(verifier) == nil)
        let cold = self.verifier(FakeKeySource([.keys(Data(body.utf8)), .keys(good)]))
        #expect(await ask(cold) == "unavailable")
        clock.advance(5)
        #expect(await ask(cold) == nil)
    }
}
