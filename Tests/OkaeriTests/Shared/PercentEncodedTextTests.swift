import Foundation
import Testing

@testable import Okaeri

@Suite("Percent-encoding")
struct PercentEncodedTextTests {
    private static let plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    /// Each character of ASCII alone, and the edges of UTF-8's lengths.
    private static let texts =
        (0..<128 as Range<UInt8>).map { String(decoding: [$0], as: UTF8.self) } + [
            "", "\u{80}", "\u{7ff}", "\u{800}", "\u{ffff}", "\u{10000}", "\u{10ffff}", "花", "e\u{301}", "\r\n",
            "👩‍👩‍👧‍👦", "a b&c=d+e/f?g#h%20", "../a",
        ]

    @Test("keeps in a segment of a path what is safe there, and encodes the rest as Foundation does", arguments: texts)
    func segments(text: String) {
        let kept = CharacterSet(charactersIn: Self.plain + "-_")
        #expect(text.pathSegment == text.addingPercentEncoding(withAllowedCharacters: kept))
    }

    @Test("keeps in forms and queries what is unreserved, and encodes the rest as Foundation does", arguments: texts)
    func forms(text: String) {
        let kept = CharacterSet(charactersIn: Self.plain + "-._~")
        #expect(text.percentEncoded == text.addingPercentEncoding(withAllowedCharacters: kept))
        #expect(text.percentEncoded.removingPercentEncoding == text)
    }

    @Test("writes the bytes of UTF-8 with digits in capitals")
    func digits() {
        #expect("花/~".percentEncoded == "%E8%8A%B1%2F~")
        #expect("花/~".pathSegment == "%E8%8A%B1%2F%7E")
        #expect(WebForm.text(of: [("a b", "c&d"), ("e", "")]) == "a%20b=c%26d&e=")
    }
}
