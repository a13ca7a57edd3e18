import Domain
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
        func decoded(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? { Self.decoded(bytes, plusIsSpace: plusIsSpace) }
        let text: [UInt8]? =
            bytes.withContiguousStorageIfAvailable(decoded) ?? Array(bytes).withUnsafeBufferPointer(decoded)
        return text.flatMap { StreamSafeText.text(of: $0) }
    }

    /// Of bytes in a row: each step through a collection of another module's is a call, and a mebibyte of them 34 ms.
    private static func decoded(_ bytes: UnsafeBufferPointer<UInt8>, plusIsSpace: Bool) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "+") where plusIsSpace: decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard position + 1 < bytes.count, let high = Hexadecimal.digit(bytes[position]),
                    let low = Hexadecimal.digit(bytes[position + 1])
                else { return nil }
                position += 2
                decoded.append(high << 4 | low)
            default: decoded.append(byte)
            }
        }
        return decoded
    }

    /// The text of a segment of a path, where a plus sign is one.
    package static func text(ofSegment segment: String) -> String? { text(of: segment.utf8, plusIsSpace: false) }
}
