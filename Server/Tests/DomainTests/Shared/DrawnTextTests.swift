import Foundation
import TestWorld
import Testing

@testable import Domain

/// Ids, tokens and codes that are drawn by chance.
@Suite("A text that is drawn")
struct DrawnTextTests {
    private static let now = StandingClock().now

    @Test("as an id with dashes is a UUID that begins with the time (RFC 9562 §5.7)", arguments: UInt64(0)..<50)
    func dashed(seed: UInt64) throws {
        let randomness = CountingRandomness(seed: seed)
        let instant = Timestamp(milliseconds: Self.now.milliseconds + Int64(seed))
        let id: Identifier<User> = randomness.newDashedIdentifier(at: instant)
        let text = id.rawValue
        #expect(text.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
        #expect(UUID(uuidString: text) != nil && text == text.lowercased())
        let digits = Array(text.filter { $0 != "-" })
        #expect(Int64(String(digits[..<12]), radix: 16) == instant.milliseconds)
        #expect(digits[12] == "7" && "89ab".contains(digits[16]))
        #expect(id.dashedInstant == instant && id.instant == nil)
        let later: Identifier<User> = randomness.newDashedIdentifier(at: instant + .milliseconds(1))
        #expect(text < later.rawValue)
    }

    @Test(
        "in base 62 has the length that is asked for, and every sign of the alphabet",
        arguments: [0, 1, 8, 12, 25, 500])
    func base62(count: Int) {
        let randomness = CountingRandomness(seed: UInt64(count))
        let text = randomness.randomBase62(characterCount: count)
        #expect(text.utf8.count == count && text.utf8.allSatisfy { Base62.alphabet.contains($0) })
        if count == 500 { #expect(Set(randomness.randomBase62(characterCount: 5000).utf8).count == 62) }
    }

    @Test(
        "of a number in base 62 has leading zeros, and loses what is too much",
        arguments: [
            (0, 1, "0"), (9, 1, "9"), (10, 1, "A"), (35, 1, "Z"), (36, 1, "a"), (61, 1, "z"), (62, 2, "10"),
            (62, 1, "0"), (3843, 2, "zz"), (3844, 2, "00"), (1, 8, "00000001"), (0, 0, ""),
            (UInt64.max, 11, "LygHa16AHYF"),
        ] as [(UInt64, Int, String)])
    func number(number: UInt64, count: Int, text: String) {
        #expect(Base62.text(of: number, characterCount: count) == text)
    }

    private static let hana = Identifier<User>(rawValue: "hana")

    private static let forms: [(SessionToken.Form, count: Int, signs: String)] = [
        (.named, 54, "-_."), (.base64URL(byteCount: 32), 43, "-_"), (.base64URL(byteCount: 16), 22, "-_"),
        (.letters(count: 25), 25, ""), (.letters(count: 40), 40, ""),
        (.hexadecimal(prefix: "r:", byteCount: 16), 34, ":"),
    ]

    @Test("as a session's token has the form of its protocol, and is never the same", arguments: forms.indices)
    func tokens(index: Int) {
        let (form, count, signs) = Self.forms[index]
        let randomness = CountingRandomness(seed: 7)
        let tokens = (0..<100).map { _ in SessionToken.Draw(form, randomness).token(of: Self.hana).revealed }
        #expect(Set(tokens).count == 100)
        for token in tokens {
            #expect(token.utf8.count == count)
            #expect(token.utf8.allSatisfy { Base62.alphabet.contains($0) || signs.utf8.contains($0) }, "\(token)")
        }
    }

    @Test(
        "with its end in it is read back to the second",
        arguments: [0, 1, 35, 36, 1_795_252_542, 253_402_300_799] as [Int64])
    func limited(seconds: Int64) {
        let token = SessionToken.Draw(.base64URL(byteCount: 32), CountingRandomness()).token(of: Self.hana)
        for milliseconds in [0, 999] as [Int64] {
            let end = Timestamp(milliseconds: seconds * 1000 + milliseconds)
            let limited = SessionToken.limited(token, until: end).revealed
            #expect(limited.hasPrefix(token.revealed + "--"))
            #expect(SessionToken.end(of: limited) == Timestamp(milliseconds: seconds * 1000))
        }
    }

    private static let head = String(repeating: "a", count: 43)

    @Test(
        "without an end that can be read has none",
        arguments: [
            "", head, head + "--", head + "-a1", head + "---1", head + "--+1!", head + "--é1", "a" + head + "--1",
            String(head.dropLast()) + "--1", head + "--" + String(repeating: "z", count: 14),
            head + "--zzzzzzzzzz",
        ])
    func endless(token: String) { #expect(SessionToken.end(of: token) == nil) }

    @Test("as a code of a mail has groups that a person reads", arguments: UInt64(0)..<20)
    func codes(seed: UInt64) {
        let randomness = CountingRandomness(seed: seed)
        for (form, groups) in [
            (CodeForm.digits(count: 6), [3, 3]), (.digits(count: 8), [4, 4]),
            (.token(life: .days(1)), [4, 4, 4, 4, 4, 4, 4]),
        ] {
            let code = form.new(randomness)
            #expect(code.split { $0 == " " || $0 == "-" }.map(\.count) == groups)
            #expect(form.example.split { $0 == " " || $0 == "-" }.map(\.count) == groups)
            #expect(CodeForm.normal(code)?.count == groups.reduce(0, +))
            #expect(CodeForm.normal(code.lowercased()) == CodeForm.normal(code))
        }
    }
}
