import Foundation
import TestWorld
import Testing

@testable import Domain

@Suite("The form in which names are compared")
struct IdentifierFoldingTests {
    /// Letters that fold to several, that fold anew once they are composed, and that are invisible.
    private static let signs =
        "aAzZ09 -ßẞıİiIﬁﬃǅKÅſéÉe\u{301}\u{327}ςσΣᾳｶﾞガはば１Ａ①㍿가\u{1100}\u{1161}\u{11a8}\u{200b}\u{ad}\u{fe0f}🦊"

    @Test("is its own form", arguments: UInt64(0)..<300)
    func idempotent(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        let text = draw.text(of: draw.number(below: 9), from: Self.signs)
        let folded = IdentifierFolding.folded(text)
        #expect(
            IdentifierFolding.folded(folded) == folded, "\(text.unicodeScalars.map { String($0.value, radix: 16) })")
        #expect(!folded.unicodeScalars.contains { $0.properties.isDefaultIgnorableCodePoint })
        let trimmed = IdentifierFolding.trimmed(folded)
        #expect(IdentifierFolding.trimmed(trimmed) == trimmed)
    }

    @Test(
        "makes no difference between capitals and small signs, nor between forms of one text",
        arguments: UInt64(0)..<300)
    func equal(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        let text = draw.text(of: 1 + draw.number(below: 8), from: "abzAZßéÉçÇñあガ가力ﬁΑαΒβЖж12")
        let folded = IdentifierFolding.folded(text)
        for other in [
            text.lowercased(), text.uppercased(), text.decomposedStringWithCanonicalMapping,
            text.map { "\($0)\u{200b}" }.joined(),
        ] {
            #expect(IdentifierFolding.folded(other) == folded, "\(text) \(other)")
        }
    }

    @Test("of ASCII is the text in small signs", arguments: UInt64(0)..<100)
    func ascii(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        let text = String(
            decoding: draw.list(of: draw.number(below: 20)) { UInt8($0.number(below: 128)) }, as: UTF8.self)
        #expect(IdentifierFolding.folded(text) == text.lowercased())
    }

    @Test(
        "keeps one user's name from another's",
        arguments: [("0", "O"), ("l", "1"), ("は", "ば"), ("a b", "ab"), ("a", "\u{430}")])
    func apart(one: String, other: String) {
        #expect(IdentifierFolding.folded(one) != IdentifierFolding.folded(other))
    }

    @Test("is looked for in texts of up to 2,048 bytes; longer ones stay as they are", arguments: ["A", "Ａ"])
    func long(sign: String) {
        let fill = String(repeating: sign, count: 2048 / sign.utf8.count)
        let longest = fill + String(repeating: "A", count: 2048 - fill.utf8.count)
        #expect(longest.utf8.count == 2048)
        #expect(IdentifierFolding.folded(longest).allSatisfy { $0 == "a" })
        #expect(IdentifierFolding.folded(longest + "A") == longest + "A")
        #expect("\(longest)A".compatible == "\(longest)A")
        #expect(longest.compatible.allSatisfy { $0 == "A" })
    }

    @Test(
        "is trimmed of white space of any kind, and of nothing else",
        arguments: [
            ("", ""), (" ", ""), ("a", "a"), (" a b\t", "a b"), ("\u{3000}は\u{a0}\n", "は"), ("\u{2003}\u{2028}x", "x"),
            ("\u{200b}a", "\u{200b}a"), ("-a-", "-a-"),
        ])
    func trimmed(text: String, trimmed: String) { #expect(IdentifierFolding.trimmed(text) == trimmed) }

    @Test(
        "of words that are ASCII is found up to a length in bytes",
        arguments: [
            ("DPoP", 4, "dpop"), ("DPoP", 3, nil), ("", 0, ""), ("Éa", 3, "Éa"), ("Éa", 2, nil),
            ("[@Z`z{", 6, "[@z`z{"),
        ]
            as [(String, Int, String?)])
    func words(text: String, maximum: Int, lowercased: String?) {
        #expect(ForeignText.lowercasedASCII(text, maximumBytes: maximum) == lowercased)
    }
}
