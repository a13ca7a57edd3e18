import Domain
import Testing

@Suite("A text of a stranger's")
struct TextPiecesTests {
    private func bytes(_ texts: [Substring]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

    @Test(
        "is taken apart at each sign, whatever the sign is joined with, and at nothing that is the same as a character",
        arguments: [
            ("a;b", ["a", "b"]), ("a;\u{301}b", ["a", "\u{301}b"]), ("a\u{600};b", ["a\u{600}", "b"]),
            ("a\u{37E}b", ["a\u{37E}b"]), (";\u{FE0F};", ["\u{FE0F}"]), ("", []), ("\r\n;\n", ["\r\n", "\n"]),
        ] as [(String, [Substring])])
    func pieces(text: String, pieces: [Substring]) {
        #expect(bytes(text.pieces(at: ";")) == bytes(pieces))
        #expect(bytes("x\(text)".dropFirst().pieces(at: ";")) == bytes(pieces))
    }

    @Test("keeps empty pieces where they count, and ends lines of a form, which CR LF ends")
    func emptyPieces() {
        #expect("".pieces(at: ".", keepsEmpty: true) == [""])
        #expect(".a..".pieces(at: ".", keepsEmpty: true) == ["", "a", "", ""])
        #expect(bytes("a\r\nb".pieces(at: "\n")) == bytes(["a\r", "b"]))
    }

    @Test("is quoted at each sign that means something to its reader, whatever the sign is joined with")
    func quoted() {
        let quoted = "\u{600}'a'\u{301}\\".replacing(signs: ["'": "\\'", "\\": "\\\\"])
        #expect(Array(quoted.utf8) == Array("\u{600}\\'a\\'\u{301}\\\\".utf8))
    }

    @Test("is cut at the first sign or at the last one")
    func cuts() throws {
        let text = "a=\u{301}b=c"
        let (first, last) = (try #require(text.cut(at: "=")), try #require(text.cut(atLast: "=")))
        #expect(bytes([first.before, first.after]) == bytes(["a", "\u{301}b=c"]))
        #expect(bytes([last.before, last.after]) == bytes(["a=\u{301}b", "c"]))
        #expect("a".cut(at: "=") == nil && "a".cut(atLast: "=") == nil)
        #expect(bytes([text.before("="), text.before(";")]) == bytes(["a", text[...]]))
    }
}
