/// Bytes as hexadecimal digits (RFC 4648 §8), two for each byte.
package enum Hexadecimal {
    private static let small = Array("0123456789abcdef".utf8)
    private static let capital = Array("0123456789ABCDEF".utf8)

    /// In small letters.
    package static func text(of bytes: some Sequence<UInt8>) -> String { text(of: bytes, small) }

    /// In capitals.
    package static func capitals(of bytes: some Sequence<UInt8>) -> String { text(of: bytes, capital) }

    /// In small letters, in the groups of a UUID (RFC 9562 §4).
    package static func uuid(_ bytes: some Collection<UInt8>) -> String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            text += Self.text(of: CollectionOfOne(byte))
        }
        return text
    }

    private static func text(of bytes: some Sequence<UInt8>, _ digits: [UInt8]) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(truncatingIfNeeded: byte >> 4)])
            text.append(digits[Int(truncatingIfNeeded: byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension String {
    /// Everything but the unreserved characters of RFC 3986 §2.3 as `%XX`.
    package var percentEncoded: String {
        var bytes: [UInt8] = []
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                bytes.append(UInt8(ascii: "%"))
                bytes += Hexadecimal.capitals(of: CollectionOfOne(byte)).utf8
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
