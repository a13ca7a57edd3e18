import Testing
import WebAuthn

@Suite("CBOR of authenticators")
struct CBORTests {
    @Test(
        "is read in its canonical form",
        arguments: [
            ([0x00], CBOR.integer(0)), ([0x17], .integer(23)), ([0x18, 0x18], .integer(24)), ([0x20], .integer(-1)),
            ([0x39, 0x01, 0x00], .integer(-257)), ([0x41, 0xff], .bytes([0xff])), ([0x61, 0x61], .text("a")),
            ([0x82, 0xf4, 0xf5], .array([.bool(false), .bool(true)])), ([0xf6], .null),
            ([0xa1, 0x01, 0x02], .map([.integer(1): .integer(2)])),
            ([0x1b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], .integer(.max)),
            ([0x3b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], .integer(.min)),
        ] as [([UInt8], CBOR)])
    func canonical(bytes: [UInt8], value: CBOR) throws {
        #expect(try CBOR(parsing: bytes) == value)
    }

    @Test(
        "is refused otherwise, whatever it promises",
        arguments: [
            [], [0x18, 0x17], [0x19, 0x00, 0xff], [0x1c], [0x1f], [0x5f, 0x41, 0x00, 0xff], [0x9f, 0xff], [0xbf, 0xff],
            [0xc0, 0x00], [0xf7], [0xf9, 0x00, 0x00], [0xff], [0x61, 0xff], [0xa2, 0x01, 0x01, 0x01, 0x01],
            [0xa1, 0x41, 0x00, 0x00], [0x00, 0x00], [0x42, 0x00], [0x82, 0x00],
            [0x1b, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00],
            [0x3b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            [0x5b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            [0x9b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            [0xbb, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        ] as [[UInt8]])
    func refused(bytes: [UInt8]) {
        #expect(throws: CBORSyntaxError.self) { try CBOR(parsing: bytes) }
    }

    @Test("has two names where two texts have other bytes, however alike they look, and one where they have the same")
    func names() throws {
        // “é” as one scalar and as two.
        let (one, other): ([UInt8], [UInt8]) = ([0x62, 0xc3, 0xa9], [0x63, 0x65, 0xcc, 0x81])
        guard case .map(let members) = try CBOR(parsing: [0xa2] + one + [0x01] + other + [0x02]) else {
            Issue.record("no map")
            return
        }
        #expect(members.count == 2)
        #expect(members[.text("\u{E9}")] == .integer(1) && members[.text("e\u{301}")] == .integer(2))
        #expect(throws: CBORSyntaxError.self) { try CBOR(parsing: [0xa2] + one + [0x01] + one + [0x02]) }
    }

    @Test(
        "has no text with more combining marks in a row than people write, neither as a name nor as a value",
        .timeLimit(.minutes(5)))
    func marks() throws {
        func text(_ count: Int) -> [UInt8] {
            let marks = (0..<count).flatMap { [0xcc, $0.isMultiple(of: 2) ? 0x81 : 0x96] as [UInt8] }
            let length = UInt32(clamping: marks.count)
            let head = (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) }
            return (count < 128 ? [0x78, head[3]] : [0x7a] + head) + marks
        }
        for member in [text(30) + [0x01], [0x01] + text(30)] { _ = try CBOR(parsing: [0xa1] + member) }
        for count in [31, 400_000] {
            for member in [text(count) + [0x01], [0x01] + text(count)] {
                #expect(throws: CBORSyntaxError.self) { try CBOR(parsing: [0xa1] + member) }
            }
        }
    }

    @Test("is refused too deep, and without a stack that grows", arguments: [6, 7, 100_000])
    func depth(levels: Int) {
        let bytes = [UInt8](repeating: 0x81, count: levels - 1) + [0x00]
        #expect(((try? CBOR(parsing: bytes)) != nil) == (levels <= 6))
    }
}
