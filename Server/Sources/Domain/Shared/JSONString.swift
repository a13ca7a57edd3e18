/// How a text is written in JSON (RFC 8259 §7): bodies of responses and columns of JSON have the same bytes for it.
///
/// Nothing is generic here and no storage is returned, so that a call from another module costs what one within it does.
package enum JSONString {
    /// Appends a text in quotes. What can have a short escape has it, and `/` has none.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            // Nearly all texts need no escapes.
            if utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5c }) {
                bytes.append(contentsOf: utf8)
            } else {
                for byte in utf8 { append(escaped: byte, to: &bytes) }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func append(escaped byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case 0x22: bytes += #"\""#.utf8
        case 0x5c: bytes += #"\\"#.utf8
        case 0x08: bytes += #"\b"#.utf8
        case 0x09: bytes += #"\t"#.utf8
        case 0x0a: bytes += #"\n"#.utf8
        case 0x0c: bytes += #"\f"#.utf8
        case 0x0d: bytes += #"\r"#.utf8
        case ..<0x20:
            let digits = String(byte, radix: 16)
            bytes += #"\u00"#.utf8
            bytes += (digits.utf8.count == 1 ? "0" + digits : digits).utf8
        default: bytes.append(byte)
        }
    }
}
