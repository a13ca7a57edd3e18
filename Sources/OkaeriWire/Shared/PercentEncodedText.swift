/// Percent-encoding (RFC 3986 §2.1): each byte of a text's UTF-8 that does not stay is `%` and two digits in capitals. Server
/// and SDK write it here.
@_spi(PercentEncodedText) public enum PercentEncodedText {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Writes a text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - signs: What stays beside ASCII letters and digits; by default the unreserved characters of RFC 3986 §2.3.
    /// - Returns: ASCII alone, when the signs are.
    public static func text(of text: String, keeping signs: String = "-._~") -> String {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                encoded.append(byte)
            case _ where signs.utf8.contains(byte):
                encoded.append(byte)
            default:
                encoded.append(UInt8(ascii: "%"))
                encoded.append(digits[Int(truncatingIfNeeded: byte >> 4)])
                encoded.append(digits[Int(truncatingIfNeeded: byte & 15)])
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// The value of a hexadecimal digit (RFC 4648 §8), in whatever case; `nil` for any other sign.
    ///
    /// - Parameter byte: ASCII.
    /// - Returns: 0 to 15.
    @inlinable
    public static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
