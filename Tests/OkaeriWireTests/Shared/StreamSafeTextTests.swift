import Foundation
import OkaeriWire
import Testing

@Suite("A stream-safe text")
struct StreamSafeTextTests {
    @Test(
        "is what people write",
        arguments: [
            "", "a", "Hana Tanaka", "花田ハナ", "ｶﾞｷﾞｸﾞ", "がぎぐ", "か\u{3099}き\u{3099}", "홍길동", "\u{1112}\u{1169}\u{11bc}",
            "Nguyễn Thị Ngọc", "é", "e\u{301}", "👨‍👩‍👧‍👦🏳️‍🌈👍🏽", "العَرَبِيَّةُ ﷺ", "שָׁלוֹם", "हिन्दी क्षेत्र", "ภาษาไทยที่นี่", "བོད་ཡིག ཀྵྨྱ",
            "z̷̡̛̗̮̫͇a̸̢̧̛̭l̶̨̛̪̮g̴̡̛̫o̵", "\u{0}\u{1f}\u{7f}", "한국어 조선글", "Ελληνικά ᾧ", "Кириллица й",
        ])
    func ordinary(text: String) {
        #expect(StreamSafeText.contains(text))
        #expect(StreamSafeText.contains(utf8: Array(text.utf8)))
        #expect(StreamSafeText.text(of: Array(text.utf8)) == text)
    }

    @Test("has 30 combining marks in a row and not 31", arguments: 0..<9)
    func limit(_ letters: Int) {
        // What stands before moves the marks over the steps of eight bytes.
        let head = String(repeating: "a", count: letters)
        for mark in [
            "\u{301}", "\u{323}", "\u{3099}", "\u{20d0}", "\u{1d165}", "\u{ff9e}", "\u{64b}", "\u{e0100}\u{301}",
        ] {
            let marks = String(repeating: mark, count: 30)
            let isBroken = mark.unicodeScalars.count > 1
            #expect(StreamSafeText.contains("\(head)\(marks)"))
            #expect(StreamSafeText.contains("\(head)\(marks)o\(marks)か\(marks)"))
            // A variation selector stands between marks as a letter does: it is no mark to sort.
            #expect(StreamSafeText.contains("\(head)\(marks)\(mark)") == isBroken, "\(mark.unicodeScalars)")
            #expect(StreamSafeText.contains(utf8: Array("\(head)\(marks)\(mark)z".utf8)) == isBroken)
            #expect((StreamSafeText.text(of: Array("\(head)\(marks)\(mark)".utf8)) != nil) == isBroken)
        }
    }

    @Test("counts the marks that a character is made of")
    func decomposed() {
        for double in ["\u{344}", "\u{f73}", "\u{f75}", "\u{f81}"] {
            #expect(StreamSafeText.contains(String(repeating: double, count: 15)))
            #expect(!StreamSafeText.contains(String(repeating: double, count: 16)))
        }
    }

    @Test("knows each character that begins with a mark once it is decomposed")
    func everyCharacter() {
        for value in UInt32(0x80)...0x10ffff {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let first = String(Character(scalar)).decomposedStringWithCompatibilityMapping.unicodeScalars.first
            let isMark = first?.properties.canonicalCombiningClass != .notReordered
            let run = [Unicode.Scalar](repeating: scalar, count: 31)
            if StreamSafeText.contains(String(String.UnicodeScalarView(run))) == isMark {
                Issue.record("U+\(String(value, radix: 16)) begins with a mark: \(isMark)")
            }
        }
    }

    @Test(
        "is no bytes that are no UTF-8", arguments: [[0xff], [0xcc], [0xe3, 0x82], [0xf0, 0x9d, 0x85], [0x61, 0xcc]])
    func malformed(bytes: [UInt8]) {
        #expect(StreamSafeText.text(of: bytes) == nil)
        // Whatever it says, it ends.
        _ = StreamSafeText.contains(utf8: bytes)
    }

    @Test("is decided in time by its length")
    func time() {
        let hostile = String(repeating: "\u{301}\u{323}", count: 250_000)
        let long = String(repeating: "か\u{3099}", count: 250_000)
        let start = ContinuousClock.now
        #expect(!StreamSafeText.contains(utf8: Array(hostile.utf8)))
        #expect(StreamSafeText.contains(utf8: Array(long.utf8)))
        #expect(start.duration(to: .now) < .seconds(60))
    }
}
