import TestWorld
import Testing

@testable import Domain

@Suite("A challenge of which nothing is stored")
struct ChallengeBindingTests {
    private static let application = Identifier<Application>(rawValue: "app")
    private static let life: Duration = .seconds(90)
    private let clock = StandingClock()

    private func challenges(_ purpose: String = "one", _ kind: UsedProof.Kind = .passkeyChallenge) throws
        -> SealedChallenges
    {
        SealedChallenges(
            clock: clock, randomness: CountingRandomness(), hash: try SealingKey.ofTests().keyedHash(purpose: purpose),
            kind: kind)
    }

    static let purposes: [[[UInt8]?]] = [
        [], [nil], [[]], [nil, nil], [[1]], [[1], nil], [nil, [1]], [[1], []], [[], [1]], [[1, 2]], [[1], [2]],
        [[2], [1]],
    ]

    /// Parts that look alike when they are put together are different purposes all the same.
    @Test("is good for its own purpose alone, part by part", arguments: purposes.indices, purposes.indices)
    func bound(made: Int, used: Int) throws {
        let all = try challenges()
        let challenge = all.new(for: Self.purposes[made], in: Self.application, lifetime: Self.life)
        let bytes = try #require(Base64URL.bytes(of: challenge.utf8))
        let proof = all.use(bytes, for: Self.purposes[used], in: Self.application, at: clock.now)
        #expect((proof != nil) == (made == used))
        #expect(all.use(bytes, for: Self.purposes[made], in: Identifier(rawValue: "ap"), at: clock.now) == nil)
    }

    @Test(
        "counts until its time, to the millisecond, by the clock of who asks",
        arguments: [-1, 0, 89_999, 90_000, 90_001] as [Int64])
    func end(after: Int64) throws {
        let all = try challenges()
        let challenge = all.new(for: [[1]], in: Self.application, lifetime: Self.life)
        let bytes = try #require(Base64URL.bytes(of: challenge.utf8))
        let proof = all.use(bytes, for: [[1]], in: Self.application, at: clock.now + .milliseconds(after))
        #expect(proof?.end == (after < 90_000 ? clock.now + Self.life : nil))
    }

    @Test("has 38 bytes, of which none can be another", arguments: 0..<38)
    func everyByte(position: Int) throws {
        let all = try challenges()
        let challenge = all.new(for: [], in: Self.application, lifetime: Self.life)
        var bytes = try #require(Base64URL.bytes(of: challenge.utf8))
        #expect(bytes.count == 38)
        for bit in 0..<8 {
            bytes[position] ^= 1 << UInt8(bit)
            #expect(all.use(bytes, for: [], in: Self.application, at: clock.now) == nil, "\(bit)")
            bytes[position] ^= 1 << UInt8(bit)
        }
        #expect(all.use(Array(bytes.dropLast()), for: [], in: Self.application, at: clock.now) == nil)
        #expect(all.use(bytes + [0], for: [], in: Self.application, at: clock.now) == nil)
    }

    @Test("of another hash is none, and each kind is marked as its own")
    func kinds() throws {
        let (one, other) = (try challenges("one"), try challenges("two"))
        let challenge = one.new(for: [], in: Self.application, lifetime: Self.life)
        let bytes = try #require(Base64URL.bytes(of: challenge.utf8))
        #expect(other.use(bytes, for: [], in: Self.application, at: clock.now) == nil)
        let launches = try challenges("one", .firstLaunchChallenge)
        let marks = [one, launches].compactMap { $0.use(bytes, for: [], in: Self.application, at: clock.now) }
        #expect(marks.count == 2 && Set(marks.map(\.key)).count == 2)
    }
}
