import OkaeriWire

/// Texts that come percent-encoded, in paths, queries and forms (RFC 3986 §2.1, WHATWG URL §5).
package enum PercentEncoding {
    /// The text of some bytes.
    ///
    /// - Parameters:
    ///   - bytes: As they came.
    ///   - plusIsSpace: Whether a plus sign stands for a space, as in queries and forms.
    /// - Returns: `nil` for a percent sign without two digits, and for what is no UTF-8 or not stream-safe
    ///   (`StreamSafeText`).
    package static func text(of bytes: some Collection<UInt8>, plusIsSpace: Bool) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+") where plusIsSpace: decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
                decoded.append(high << 4 | low)
            default: decoded.append(byte)
            }
        }
        return StreamSafeText.text(of: decoded)
    }

    /// The text of a segment of a path, where a plus sign is one.
    package static func text(ofSegment segment: String) -> String? { text(of: segment.utf8, plusIsSpace: false) }

    /// The value of a hexadecimal digit, in whatever case.
    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
