import Crypto
import Foundation
import TestWorld
import Testing
import WebAuthn

@testable import Domain

@Suite("A challenge for a first launch")
struct FirstLaunchChallengeTests {
    typealias Purpose = FirstLaunchChallenges.Purpose

    private static let application = Identifier<Application>(rawValue: "app")
    private static let key = "thumbprint"
    static let purposes: [Purpose] = [.attestation, .work(bits: 1), .work(bits: 10), .work(bits: 11), .work(bits: 24)]

    private let clock = StandingClock()
    private let challenges: FirstLaunchChallenges

    init() throws {
        challenges = FirstLaunchChallenges(
            clock: clock, randomness: CountingRandomness(), sealingKey: try SealingKey.ofTests())
    }

    private func use(
        _ challenge: String, for purpose: Purpose, key: String = key,
        in application: Identifier<Application> = application
    ) -> UsedProof? {
        challenges.use(challenge, for: purpose, key: key, in: application, at: clock.now)
    }

    @Test("is good for what it was made for, and for nothing else", arguments: purposes, purposes)
    func purpose(made: Purpose, used: Purpose) {
        let challenge = challenges.new(for: made, key: Self.key, in: Self.application)
        #expect((use(challenge, for: used) != nil) == (made == used))
        #expect(use(challenge, for: made, key: "another") == nil)
        #expect(use(challenge, for: made, in: Identifier(rawValue: "another")) == nil)
    }

    @Test("is good for two minutes, to the millisecond", arguments: [0, 1, 119_999, 120_000, 120_001], purposes)
    func end(after: Int, purpose: Purpose) {
        let challenge = challenges.new(for: purpose, key: Self.key, in: Self.application)
        let end = clock.now + .seconds(120)
        clock.advance(by: .milliseconds(after))
        let used = use(challenge, for: purpose)
        #expect((used != nil) == (after < 120_000))
        #expect(used?.end == (used == nil ? nil : end))
    }

    @Test("is marked as used by itself, the same at each try, and no two are alike")
    func marks() {
        let made = (0..<100).map { _ in challenges.new(for: .attestation, key: Self.key, in: Self.application) }
        #expect(Set(made).count == 100)
        let marks = made.compactMap { use($0, for: .attestation) }
        #expect(Set(marks).count == 100 && marks == made.compactMap { use($0, for: .attestation) })
        #expect(marks.allSatisfy { $0.issuedAt == nil && $0.key.count == 22 })
    }

    @Test("that was altered anywhere is none", arguments: UInt64(0)..<60)
    func altered(seed: UInt64) throws {
        var draw = SeededGenerator(state: seed)
        let challenge = challenges.new(for: .work(bits: 12), key: Self.key, in: Self.application)
        var bytes = try #require(Base64URL.bytes(of: challenge.utf8))
        #expect(bytes.count == 38)
        switch draw.number(below: 4) {
        case 0: bytes[draw.number(below: bytes.count)] ^= 1 << UInt8(draw.number(below: 8))
        case 1: bytes.remove(at: draw.number(below: bytes.count))
        case 2: bytes.insert(UInt8(draw.number(below: 256)), at: draw.number(below: bytes.count + 1))
        default: bytes.swapAt(draw.number(below: 6), 20 + draw.number(below: 18))
        }
        let text = Base64URL.text(of: bytes)
        #expect(text == challenge || use(text, for: .work(bits: 12)) == nil, "\(seed)")
    }

    @Test(
        "is none of these texts",
        arguments: [
            "", "challenge", "=", String(repeating: "A", count: 51), String(repeating: "A", count: 100),
            String(repeating: "A", count: 101), String(repeating: "é", count: 51),
        ])
    func other(text: String) {
        for purpose in Self.purposes { #expect(use(text, for: purpose) == nil) }
    }

    @Test("is no challenge with the key of another server")
    func otherServer() throws {
        let key = try #require(SealingKey(bytes: [UInt8](repeating: 9, count: SealingKey.byteCount)))
        let others = FirstLaunchChallenges(clock: clock, randomness: CountingRandomness(), sealingKey: key)
        let challenge = others.new(for: .attestation, key: Self.key, in: Self.application)
        #expect(use(challenge, for: .attestation) == nil)
    }
}

@Suite("A proof of work")
struct PresentedWorkTests {
    /// The leading zero bits of a digest, found out one by one.
    private static func zeros(_ challenge: String, _ solution: String) -> Int {
        let digest = SHA256.hash(data: Array("\(challenge).\(solution)".utf8))
        var zeros = 0
        for byte in digest {
            for bit in 0..<8 {
                guard byte >> UInt8(7 - bit) & 1 == 0 else { return zeros }
                zeros += 1
            }
        }
        return zeros
    }

    @Test("is done with as many zero bits as were asked for, or more", arguments: 0..<40)
    func bits(number: Int) {
        let (challenge, solution) = ("challenge \(number)", "\(number)")
        let zeros = Self.zeros(challenge, solution)
        for bits in 0...32 {
            let work = PresentedWork(challenge: challenge, bits: bits, solution: solution)
            #expect(work.isDone == (bits <= zeros), "\(bits) of \(zeros)")
        }
    }

    @Test("goes on into the second byte and beyond", arguments: [7, 8, 9, 12])
    func bytes(bits: Int) throws {
        let challenge = "challenge"
        let solution = try #require((0..<100_000).lazy.map { String($0) }.first { Self.zeros(challenge, $0) == bits })
        #expect(PresentedWork(challenge: challenge, bits: bits, solution: solution).isDone)
        #expect(!PresentedWork(challenge: challenge, bits: bits + 1, solution: solution).isDone)
    }

    @Test(
        "is enough with two bits less than are asked for now, and with no more than are ever asked for",
        arguments: [10, 12, 18, 22, 24])
    func enough(asked: Int) {
        for bits in Array(-1...26) + [.min, .max] {
            let work = PresentedWork(challenge: "c", bits: bits, solution: "s")
            #expect(work.isEnough(for: asked) == (asked - 2...24).contains(bits), "\(bits)")
        }
    }

    @Test("has a solution of 32 bytes at the most", arguments: [0, 1, 31, 32, 33, 1000])
    func length(count: Int) {
        let work = PresentedWork(challenge: "c", bits: 0, solution: String(repeating: "x", count: count))
        #expect(work.isDone == (count <= 32))
        let wide = PresentedWork(challenge: "c", bits: 0, solution: String(repeating: "é", count: count))
        #expect(wide.isDone == (count <= 16))
    }
}

@Suite("The table of rules in docs/attestation.md")
struct AttestationFaultTableTests {
    @Test("has each rule once, in the order of the steps")
    func complete() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../docs/attestation.md").standardizedFileURL
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let head = try #require(lines.firstIndex(of: "| rule | broken when |"))
        let rules = lines[(head + 2)...].prefix { $0.hasPrefix("|") }.map { String($0.split(separator: "`")[1]) }
        var expected = [AttestationFault.format.rule, AttestationFault.challenge.rule]
        let steps = AppAttestFault.allCases.map(\.rawValue) + PlayIntegrityFault.allCases.map(\.rawValue)
        for rule in steps where !expected.contains(rule) { expected.append(rule) }
        #expect(rules == expected)
    }
}
