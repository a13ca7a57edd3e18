import Foundation
import Okaeri
import Testing

@Suite("Header fields")
struct HeaderFieldsTests {
    @Test(
        "are found and replaced by their names in any case",
        arguments: [
            ("Content-Type", "content-type"), ("dpop", "DPoP"), ("OKAERI-NOTICES", "Okaeri-Notices"), ("a", "A"),
        ])
    func names(name: String, other: String) {
        var fields: HeaderFields = [name: "first"]
        #expect(fields[other] == "first")
        fields[other] = "second"
        #expect(fields.all == [other: "second"])
        fields[name] = nil
        #expect(fields.all.isEmpty)
    }

    /// Signs as far from each other as `a` is from `A`, and letters that fold into others, of ASCII, by Unicode's rules alone.
    @Test(
        "keep other names apart",
        arguments: [
            ("x@", "x`"), ("x[", "x{"), ("x^", "x~"), ("x-y", "x\ry"), ("x", "x "), ("x", ""),
            ("okaeri-notices", "o\u{212A}aeri-notices"), ("Date", "Date\u{0}"), ("set-cookie", "\u{17F}et-cookie"),
        ])
    func otherNames(name: String, other: String) {
        let fields: HeaderFields = [name: "1", other: "2"]
        #expect(fields[name] == "1" && fields[other] == "2")
        #expect(fields.all == [name: "1", other: "2"])
    }

    @Test(
        "compare what a name may consist of as Foundation does",
        arguments: "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".map { "X-\($0)" })
    func foundation(name: String) {
        let fields: HeaderFields = [name: "1"]
        let found = (0x21..<0x7f as Range<UInt8>).map { "x-" + String(decoding: [$0], as: UTF8.self) }
            .filter { (fields[$0] != nil) != ($0.caseInsensitiveCompare(name) == .orderedSame) }
        #expect(found.isEmpty)
    }
}
