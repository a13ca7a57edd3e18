import Crypto
import Foundation

/// One-time codes by time (RFC 6238) with SHA-1, six digits and steps of 30 seconds: what every authenticator app
/// makes.
package struct TOTP: Sendable {
    package static let keyBytes = 20
    package static let step: Int64 = 30
    package static let digits = 6
    /// The longest code as somebody types it.
    private static let maximumTypedBytes = 100

    private let key: [UInt8]

    package init(key: [UInt8]) {
        self.key = key
    }

    /// The key as people type it into an app (RFC 4648 §6), without padding.
    package var keyText: String { Base32.text(of: key) }

    /// The key as a link for authenticator apps, which they also read as a QR code.
    ///
    /// - Parameters:
    ///   - name: Whose key it is.
    ///   - issuer: What the app shows above the code.
    /// - Returns: an address of the scheme `otpauth`.
    package func link(name: String, issuer: String) -> String {
        let issuer = issuer.percentEncoded
        return "otpauth://totp/\(issuer):\(name.percentEncoded)?secret=\(keyText)&issuer=\(issuer)"
    }

    /// The code of a step (RFC 4226 §5.3).
    package func code(step: Int64) -> String {
        var hash = HMAC<Insecure.SHA1>(key: SymmetricKey(data: key))
        withUnsafeBytes(of: step.bigEndian) { hash.update(data: $0) }
        let digest = Array(hash.finalize())
        let offset = Int(truncatingIfNeeded: digest[digest.count - 1] & 0xf)
        let number =
            digest[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32(truncatingIfNeeded: $1) } & 0x7fff_ffff
        let text = String(number % 1_000_000)
        return String(repeating: "0", count: Self.digits - text.count) + text
    }

    /// The step whose code somebody typed: the present one, or the one before or after, for clocks that are a little
    /// off; never one that was used before (RFC 6238 §5.2).
    ///
    /// - Parameters:
    ///   - typed: The code, with or without spaces.
    ///   - now: The time.
    ///   - last: The last step that was used.
    /// - Returns: `nil` for a wrong code.
    package func step(of typed: String, at now: Timestamp, after last: Int64) -> Int64? {
        guard typed.utf8.count <= Self.maximumTypedBytes else { return nil }
        let code = Secret(typed.filter { !$0.isWhitespace })
        let present = now.milliseconds / 1000 / Self.step
        var found: Int64?
        for step in (present - 1)...(present + 1) where Secret(self.code(step: step)) == code && step > last {
            found = step
        }
        return found
    }
}

/// Base32 (RFC 4648 §6) without padding.
enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    static func text(of bytes: [UInt8]) -> String {
        var characters: [UInt8] = []
        var (bits, bitCount): (UInt32, Int) = (0, 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(truncatingIfNeeded: byte)
            bitCount += 8
            while bitCount >= 5 {
                bitCount -= 5
                characters.append(alphabet[Int(truncatingIfNeeded: bits >> bitCount & 31)])
            }
        }
        if bitCount > 0 { characters.append(alphabet[Int(truncatingIfNeeded: bits << (5 - bitCount) & 31)]) }
        return String(decoding: characters, as: UTF8.self)
    }
}
