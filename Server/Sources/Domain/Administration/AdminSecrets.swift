/// Makes and reads what admins prove themselves with beside the password.
package struct AdminSecrets: Sendable {
    private static let totpPurpose = "okaeri admin totp"
    private static let recoveryCount = 10
    /// The longest recovery code as somebody types it, with whatever stands between its letters.
    private static let maximumTypedBytes = 100

    let sealingKey: SealingKey
    let randomness: any Randomness

    /// A key for one-time codes, sealed.
    func newSealedTOTP() throws(DomainError) -> [UInt8] {
        try sealingKey.seal(randomness.bytes(TOTP.keyBytes), purpose: Self.totpPurpose)
    }

    func totp(_ sealed: [UInt8]) throws(DomainError) -> TOTP {
        TOTP(key: try sealingKey.open(sealed, purpose: Self.totpPurpose))
    }

    /// Ten codes of 50 bits, for when the phone is gone; each counts once.
    func newRecoveryCodes() -> [Secret] {
        (0..<Self.recoveryCount).map { _ in
            let text = Base32.text(of: randomness.bytes(7)).prefix(10).lowercased()
            return Secret("\(text.prefix(5))-\(text.suffix(5))")
        }
    }

    func recoveryDigest(of typed: String) -> SecretDigest {
        // What is longer is no code, and stands for none.
        let letters = ForeignText.lowercasedASCII(typed, maximumBytes: Self.maximumTypedBytes) ?? ""
        let text = letters.filter { $0.isLetter || $0.isNumber }
        return sealingKey.digest(of: text, purpose: "admin recovery code")
    }
}
