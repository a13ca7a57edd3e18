package import Domain

/// An admin's authenticator app.
package enum TestAuthenticator {
    /// What the app shows for a key in Base32 (RFC 4648 §6).
    ///
    /// - Parameters:
    ///   - key: What was read from the QR code.
    ///   - now: The time.
    /// - Returns: six digits.
    /// - Throws: `TestWorldFault` for what is no Base32.
    package static func code(for key: String, at now: Timestamp) throws -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var (bits, count, bytes): (Int, Int, [UInt8]) = (0, 0, [])
        for character in key {
            guard let value = alphabet.firstIndex(of: character) else {
                throw TestWorldFault(description: "no Base32: \(key)")
            }
            bits = bits << 5 | value
            count += 5
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(bits >> count & 0xff))
            }
            bits &= 0xfff
        }
        return TOTP(key: bytes).code(step: now.milliseconds / 1000 / TOTP.step)
    }
}
