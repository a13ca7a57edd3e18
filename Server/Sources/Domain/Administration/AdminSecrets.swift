/// Makes and reads what admins prove themselves with beside the password.
package struct AdminSecrets: Sendable {
    static let totpPurpose = "okaeri admin totp"

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
        (0..<RecoveryCode.count).map { _ in RecoveryCode.text(of: randomness.bytes(RecoveryCode.byteCount)) }
    }

    func recoveryDigest(of typed: String) -> SecretDigest {
        sealingKey.digest(of: RecoveryCode.letters(of: typed), purpose: "admin recovery code")
    }
}
