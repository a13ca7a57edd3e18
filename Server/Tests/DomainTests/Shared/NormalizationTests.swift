import Foundation
@_spi(_Unicode) import Swift
import TestWorld
import Testing

@testable import Domain

/// The domain's own ways with texts against those of Foundation, which the program for use does not have, and of the standard library.
/// Foundation's own NFC takes halves of signs beyond U+FFFF for letters.
@Suite("A text beside Foundation's")
struct NormalizationTests {
    private static let scalars = (UInt32(0)...0x10_FFFF).compactMap { Unicode.Scalar($0) }
    /// What both libraries' tables have: Unicode 15.0.
    private static let known = scalars.filter { $0.properties.age.map { ($0.major, $0.minor) <= (15, 0) } ?? false }

    private static let combining = known.filter { $0.properties.canonicalCombiningClass != .notReordered }

    @Test("is without the same blanks and line ends around it, whichever sign it is")
    func blanks() {
        let different = Self.scalars.filter { scalar in
            let text = "\(scalar)a\(scalar)b\(scalar)"
            return text.withoutBlanks != text.trimmingCharacters(in: .whitespaces)
                || text.withoutBlanksAndLineEnds != text.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        #expect(Self.named(different).isEmpty)
        #expect(" \t\u{3000}".withoutBlanks.isEmpty)
        #expect("".withoutBlanksAndLineEnds.isEmpty)
        #expect("a b\n".dropFirst().withoutBlanks == "b\n")
    }

    @Test("has the same form in NFC and NFKC, whichever sign it is")
    func signs() {
        #expect(Self.known.count > 140_000)
        #expect(Self.named(Self.known.filter { !Self.isSame("\($0)") }).isEmpty)
        // Behind a letter, and before a mark that composes with many.
        #expect(Self.named(Self.known.filter { !Self.isSame("a\($0)\u{301}") }).isEmpty)
    }

    @Test("keeps signs beyond U+FFFF, of which Foundation loses a half: 𐁁 with an accent became Á")
    func supplementary() {
        let text = "\u{10041}\u{301}"
        #expect(Self.parts(text.composed) == Self.parts(text) && Self.parts(text.compatible) == Self.parts(text))
    }

    @Test("has the same form in NFC and NFKC with any marks behind each other", arguments: UInt64(0)..<40)
    func marks(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        let bases = Array("aeoAEOｶﾊカハ가각Ⅳﬁ①㍿ΑυअকఎಎÅﷺﾞ".unicodeScalars)
        for _ in 0..<50 {
            var text = String.UnicodeScalarView()
            for _ in 0...draw.number(below: 12) {
                text.append(draw.isOne(in: 3) ? draw.pick(bases) : draw.pick(Self.combining))
            }
            #expect(Self.isSame(String(text)), "\(Self.named(Array(text)))")
        }
    }

    @Test(
        "that is a domain in any script has the same name in ASCII",
        arguments: [
            "bücher.example", "faß.de", "BÜCHER.example", "日本.jp", "例え。テスト", "例え．テスト", "ｅｘａｍｐｌｅ.ｃｏｍ",
            "βόλος.com", "президент.рф", "مثال.إختبار", "उदाहरण.परीक्षा", "한국.kr", "ไทย.ไทย", "mañana.example",
            "man\u{303}ana.example", "ÅNGSTRÖM.se", "ﬁsch.example", "ｶﾞｽ.jp", "ガス会社.jp", "נתניהו.example",
            "a日本-語1.co.jp", "日本。-a.jp", "㎏.example",
        ])
    func domains(domain: String) {
        var components = URLComponents()
        components.scheme = "https"
        components.host = domain.lowercased().precomposedStringWithCanonicalMapping
        let name = components.encodedHost?.lowercased()
        let isName = name?.split(separator: ".").allSatisfy { !$0.hasPrefix("-") && !$0.contains("%") } ?? false
        #expect(MailAddress("a@\(domain)")?.domainInASCII == (isName ? name : nil))
    }

    @Test("that is no domain has no name", arguments: ["日本\u{0}.jp", "日本", "日 本.jp", "日本..jp", "日本.1", "\u{301}日.jp"])
    func noDomains(domain: String) { #expect(MailAddress("a@\(domain)") == nil) }

    @Test("of half-width kana is in one piece", arguments: [("ｶﾞ", "ガ"), ("ﾊﾟ", "パ"), ("①", "1"), ("ﬁ", "fi")])
    func kana(text: String, compatible: String) { #expect(Self.parts(text.compatible) == Self.parts(compatible)) }

    @Test(
        "of Hangul in jamo, of emoji, of kanji with variants and of signs that are not assigned has the same form",
        arguments: [
            "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}", "\u{AC00}\u{11A8}\u{1100}\u{1161}\u{301}",
            "\u{1161}\u{11A8}\u{1100}", "\u{FFBE}\u{FFC2}\u{FFA4}", "ﾊﾟｽﾜｰﾄﾞ", "ハ\u{309A}スワート\u{3099}",
            "👩‍👩‍👧‍👦", "❤\u{FE0F}1\u{FE0F}\u{20E3}", "👍🏽🇯🇵", "葛\u{E0100}飾𠮷",
            "a\u{200B}\u{AD}\u{2060}\u{FEFF}b", "\u{378}e\u{301}\u{E0FFF}\u{10FFFF}\u{E000}",
        ])
    func sequences(text: String) { #expect(Self.isSame(text), "\(Self.named(Self.parts(text.compatible)))") }

    @Test("holds a zero and is empty as it is")
    func zero() {
        #expect(Self.parts("e\u{0}e\u{301}".composed) == Self.parts("e\u{0}\u{e9}"))
        #expect("".composed.isEmpty && "".compatible.isEmpty)
    }

    /// By scalars: texts are equal by their canonical forms anyway. NFKC is the NFC of what each sign alone decomposes to (UAX #15
    /// §1.2).
    private static func isSame(_ text: String) -> Bool {
        let decomposed = text.unicodeScalars.map { String($0).decomposedStringWithCompatibilityMapping }.joined()
        return parts(text.composed) == Array(text._nfc) && parts(text.compatible) == Array(decomposed._nfc)
    }

    private static func parts(_ text: String) -> [Unicode.Scalar] { Array(text.unicodeScalars) }

    private static func named(_ scalars: [Unicode.Scalar]) -> [String] { scalars.map { String($0.value, radix: 16) } }
}
