import OkaeriWire
import Testing

@Suite("A guide text")
struct GuideTextTests {
    private func parts(_ text: String) -> [GuideText.Part]? { GuideText(text)?.parts }

    @Test("is words, and links to pages and mail addresses")
    func links() {
        #expect(
            parts("Read our [terms](https://example.com/terms?a=1#b), or [write](mailto:help@example.com).") == [
                .words("Read our "), .link("terms", address: "https://example.com/terms?a=1#b"), .words(", or "),
                .link("write", address: "mailto:help@example.com"), .words("."),
            ])
        #expect(parts("[規約](https://example.com)[次](https://example.jp)")?.count == 2)
        #expect(parts("no links at all") == [.words("no links at all")])
    }

    @Test(
        "leaves what is no safe link as it was written",
        arguments: [
            "[x](javascript:alert(1))", "[x](http://example.com)", "[x](https://)", "[x](https:///path)",
            "[x](tel:110)",
            "[x](https://bank.example@evil.example/)", "[x](data:text/html,x)", "[x](mailto:a@b.c?bcc=d@e.f)",
            "[x](mailto:a@b.c,d@e.f)", "[x](mailto:nobody)", "[x](https://example.com/a b)",
            "[x] (https://example.com)",
            "[](https://example.com)", "[x](https://example.com", "[x](https://ex\u{202e}ample.com)", "[x]", "[", "]()",
            "a[b]c",
            "[x](https://\u{0}example.com)", "[x](HTTPS://example.com)", "[x](//example.com)",
            "[x](https://example.com/\"on)",
        ])
    func noLink(text: String) {
        #expect(parts(text) == [.words(text)])
    }

    @Test("finds the link behind a bracket that is none")
    func bracketBefore() {
        #expect(
            parts("[a [b](https://example.com)") == [.words("[a "), .link("b", address: "https://example.com")])
        #expect(
            parts("[a](b[c](https://example.com)") == [.words("[a](b"), .link("c", address: "https://example.com")])
    }

    @Test("has bounds: of its length, of its links, of an address, and of the time it takes")
    func bounds() {
        #expect(parts("") == nil && parts(String(repeating: "a", count: 4001)) == nil)
        #expect(parts(String(repeating: "[", count: 4000)) == [.words(String(repeating: "[", count: 4000))])
        let link = "[x](https://a.b)"
        let found = parts(String(repeating: link, count: 20))
        #expect(found?.count == 17 && found?.last == .words(String(repeating: link, count: 4)))
        let long = "[x](https://example.com/\(String(repeating: "a", count: 500)))"
        #expect(parts(long) == [.words(long)])
    }
}
