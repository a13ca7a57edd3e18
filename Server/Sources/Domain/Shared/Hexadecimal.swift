@_spi(PercentEncodedText) import enum OkaeriWire.PercentEncodedText

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

    /// The value of a digit, in whatever case; `nil` for any other sign.
    package static func digit(_ byte: UInt8) -> UInt8? { PercentEncodedText.digit(byte) }

    /// The value of a digit; `nil` for any other sign, capitals among them: some texts are written in one way alone.
    package static func smallDigit(_ byte: UInt8) -> UInt8? {
        (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte) ? nil : digit(byte)
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
    package var percentEncoded: String { PercentEncodedText.text(of: self) }
}
