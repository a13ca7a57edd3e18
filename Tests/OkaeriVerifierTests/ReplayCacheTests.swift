import Foundation
import OkaeriVerifier
import Testing

@Suite("The memory of proofs that were used")
struct ReplayCacheTests {
    private let clock = KeySetTests.HandClock()

    /// Whether a use is the first; `nil` when there is no room.
    private func use(_ name: String, _ cache: MemoryReplayCache, for seconds: TimeInterval = 60) async -> Bool? {
        // Full is the one error.
        try? await cache.isFirstUse(of: name, until: clock.now + seconds)
    }

    @Test("takes each use once, until it has ended")
    func once() async {
        let cache = MemoryReplayCache(clock: clock)
        #expect(await use("key a", cache) == true)
        #expect(await use("key a", cache) == false)
        #expect(await use("key b", cache) == true)
        clock.advance(59)
        #expect(await use("key a", cache) == false)
        clock.advance(1)
        #expect(await use("key a", cache) == true)
        #expect(await use("key a", cache) == false)
    }

    @Test("leaves room for others, however many uses one key has")
    func share() async {
        let cache = MemoryReplayCache(capacity: 60, clock: clock)
        for number in 0..<3 { #expect(await use("flood \(number)", cache) == true) }
        for number in 3..<100 { #expect(await use("flood \(number)", cache) == nil) }
        for number in 0..<19 {
            for name in ["a", "b", "c"] { #expect(await use("key\(number) \(name)", cache) == true) }
        }
        #expect(await use("key19 a", cache) == nil, "it is full now")
        // What was used stays known while there is no room.
        #expect(await use("flood 0", cache) == false)
    }

    @Test("has room again for a key, and for all, when uses have ended")
    func purge() async {
        let cache = MemoryReplayCache(capacity: 20, clock: clock)
        #expect(await use("first a", cache, for: 10) == true)
        #expect(await use("first b", cache) == nil)
        clock.advance(10)
        #expect(await use("first b", cache) == true)
        for number in 0..<19 { #expect(await use("key\(number) a", cache) == true) }
        #expect(await use("another a", cache) == nil)
        clock.advance(60)
        for number in 0..<20 { #expect(await use("other\(number) a", cache) == true) }
    }
}
