import Foundation
import Testing
import WebAuthn

/// What another implementation reads, compared with the reader here. `scripts/check-cbor` makes the inputs and says what they are.
@Suite("CBOR of authenticators, beside another implementation")
struct ComparedCBORTests {
    private static let cases = ProcessInfo.processInfo.environment["OKAERI_CBOR_CASES"]

    @Test("is read by both or by none, and then as the same value", .enabled(if: cases != nil))
    func compared() throws {
        let lines = try Data(contentsOf: URL(filePath: try #require(Self.cases))).split(separator: UInt8(ascii: "\n"))
        #expect(lines.count > 1000)
        var different: [String] = []
        for line in lines {
            let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            try #require(parts.count == 2)
            let value = try? CBOR(parsing: Self.bytes(parts[0]))
            let (here, there) = (value.map(Self.notation) ?? "-", String(decoding: parts[1], as: UTF8.self))
            if here != there {
                different.append("\(String(decoding: parts[0], as: UTF8.self)): \(here), and not \(there)")
            }
        }
        #expect(different.isEmpty, "\(different.count) of \(lines.count): \(different.prefix(10))")
    }

    private static func bytes(_ digits: Data) -> [UInt8] {
        var bytes: [UInt8] = []
        var (high, isSecond): (UInt8, Bool) = (0, false)
        for digit in digits {
            let value = digit <= UInt8(ascii: "9") ? digit - UInt8(ascii: "0") : digit - UInt8(ascii: "a") + 10
            if isSecond { bytes.append(high << 4 | value) }
            (high, isSecond) = (value, !isSecond)
        }
        return bytes
    }

    private static func digits(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap {
                [digits[Int(truncatingIfNeeded: $0 >> 4)], digits[Int(truncatingIfNeeded: $0 & 0xf)]]
            },
            as: UTF8.self)
    }

    /// As the script writes it.
    private static func notation(_ value: CBOR) -> String {
        switch value {
        case .null: "null"
        case .bool(let truth): "\(truth)"
        case .integer(let number): "\(number)"
        case .bytes(let bytes): "h\(digits(bytes))"
        case .text(let text): "t\(digits(text.utf8))"
        case .array(let elements): "[\(elements.map(notation).joined(separator: ","))]"
        case .map(let members): "{\(members.map(notation).sorted().joined(separator: ","))}"
        }
    }

    private static func notation(_ key: CBOR.Key, _ value: CBOR) -> String {
        switch key {
        case .integer(let number): "\(number):\(notation(value))"
        case .text(let text): "t\(digits(text.utf8)):\(notation(value))"
        }
    }
}
