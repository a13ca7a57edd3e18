/// Codes of 50 bits for when the phone is gone, of users and of admins. Each counts once.
enum RecoveryCode {
    static let count = 10
    /// Random bytes of one.
    static let byteCount = 7
    /// The longest code as somebody types it, with whatever stands between its letters.
    private static let maximumTypedBytes = 100

    /// As it is shown: `abcde-fgh23`.
    static func text(of bytes: [UInt8]) -> Secret {
        let text = Base32.text(of: bytes).prefix(10).lowercased()
        return Secret("\(text.prefix(5))-\(text.suffix(5))")
    }

    /// The letters of what somebody typed; none for what is too long to be a code.
    static func letters(of typed: String) -> String {
        let letters = ForeignText.lowercasedASCII(typed, maximumBytes: maximumTypedBytes) ?? ""
        return letters.filter { $0.isLetter || $0.isNumber }
    }
}

/// The recovery codes of users.
struct UserRecoveryCodes: Sendable {
    private let sealingKey: SealingKey
    private let hash: KeyedHash

    init(sealingKey: SealingKey) {
        self.sealingKey = sealingKey
        hash = sealingKey.keyedHash(purpose: "okaeri user recovery codes")
    }

    /// Ten codes. They are derived from something that was drawn at random, so that the repetition of a request whose
    /// response got lost shows the same; who has the database alone cannot make them.
    func codes(from seed: [UInt8], of user: Identifier<User>) -> [Secret] {
        (0..<RecoveryCode.count).map { number in
            let digest = hash.digest(of: [Array(user.rawValue.utf8), seed, Array(String(number).utf8)])
            return RecoveryCode.text(of: Array(digest.bytes.prefix(RecoveryCode.byteCount)))
        }
    }

    /// What is stored of a code (requirement 9).
    func digest(
        of typed: String, of user: Identifier<User>, in application: Identifier<Application>
    ) -> SecretDigest {
        sealingKey.digest(
            of: application.rawValue, user.rawValue, RecoveryCode.letters(of: typed), purpose: "user recovery code")
    }
}
