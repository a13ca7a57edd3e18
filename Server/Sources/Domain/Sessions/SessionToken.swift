/// The secret that stands for a session: `oks_` and 43 characters base64url of 32 random bytes (requirement 13).
package enum SessionToken {
    package static let prefix = "oks_"
    package static let length = prefix.utf8.count + 43

    package static func new(_ randomness: any Randomness) -> Secret {
        Secret(prefix + Base64URL.text(of: randomness.bytes(32)))
    }

    /// The digest to look a token up by; `nil` when the text cannot be a token.
    package static func digest(of text: some StringProtocol) -> SecretDigest? {
        // Bytes are compared: comparing characters costs more than hashing them.
        guard text.utf8.count == length, text.utf8.starts(with: prefix.utf8) else { return nil }
        return SecretDigest(of: text.utf8)
    }
}
