package import Foundation

/// Base64 with the alphabet for URLs and without padding (RFC 4648 §5, RFC 7515 §2).
package enum Base64URL {
    /// Writes bytes.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }

    /// Reads bytes; `nil` when the text is not base64url.
    package static func decode(_ text: some StringProtocol) -> Data? {
        guard !text.contains(where: { "+/=".contains($0) }) else { return nil }
        let plain = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.count % 4) % 4))
    }
}
