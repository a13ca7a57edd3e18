// Percent-encoding (RFC 3986 §2.1): each byte of a text's UTF-8 that does not stay is `%` and two digits in capitals.

extension String {
    /// The text as one segment of a path, or as a file's name: ASCII letters, digits, `-` and `_` stay.
    var pathSegment: String { percentEncoded(keeping: "-_") }

    /// The text as a name or a value of a form or a query: the unreserved characters of RFC 3986 §2.3 stay, which are
    /// ASCII letters, digits and `-._~`.
    var percentEncoded: String { percentEncoded(keeping: "-._~") }

    private func percentEncoded(keeping signs: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        encoded.reserveCapacity(utf8.count)
        for byte in utf8 {
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
}
