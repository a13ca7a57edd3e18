/// The secret that stands for a session: `oks_`, eight characters for the time of its making, and 43 characters
/// base64url of 32 random bytes (requirement 13). Foreign protocols have forms of their own, all with at least 128 random
/// bits.
///
/// The time is no secret. It begins the digest too, instead of that many bytes of the hash, so that sessions are stored in the
/// database in the order in which they were opened (decision 0026): 208 bits of the hash are left to tell them apart.
package enum SessionToken {
    package static let prefix = "oks_"
    private static let timeLength = 8
    package static let length = prefix.utf8.count + timeLength + 43
    /// Longer ones are nobody's, wherever they were issued.
    package static let maximumForeignBytes = 4096

    /// What the tokens of a protocol look like. All have at least 128 random bits.
    package enum Form: Hashable, Sendable {
        /// Okaeri's own, in the order of the times of their making.
        case ordered
        case base64URL(byteCount: Int)
        case letters(count: Int)
        case hexadecimal(prefix: String, byteCount: Int)
    }

    /// A new token in the form of a protocol.
    ///
    /// - Parameters:
    ///   - form: How it looks.
    ///   - randomness: Where the random bits come from.
    ///   - now: The time of its making.
    /// - Returns: the token, to be handed out once.
    package static func new(_ form: Form, _ randomness: any Randomness, at now: Timestamp) -> Secret {
        switch form {
        case .ordered:
            Secret(prefix + Base64URL.text(of: now.orderedBytes) + Base64URL.text(of: randomness.bytes(32)))
        case .base64URL(let byteCount): Secret(Base64URL.text(of: randomness.bytes(byteCount)))
        case .letters(let count): Secret(randomness.randomBase62(characterCount: count))
        case .hexadecimal(let prefix, let byteCount): Secret(prefix + hexadecimal(randomness.bytes(byteCount)))
        }
    }

    /// A token with its end in its own text, for protocols that refresh tokens: `<token>--<seconds since 1970, base 36>`.
    /// Another end would make another token, which is nobody's.
    static func limited(_ token: Secret, until end: Timestamp) -> Secret {
        Secret("\(token.revealed)--\(String(end.milliseconds / 1000, radix: 36))")
    }

    /// The end that a token holds; `nil` for tokens of any other form.
    static func end(of text: some StringProtocol) -> Timestamp? {
        guard (46...58).contains(text.utf8.count), text.dropFirst(43).hasPrefix("--"),
            let seconds = Int64(text.dropFirst(45), radix: 36), seconds >= 0
        else { return nil }
        return Timestamp(secondsSince1970: Double(seconds))
    }

    /// The digest to look a token up by; `nil` when the text cannot be a token.
    package static func digest(of text: some StringProtocol) -> SecretDigest? {
        // Bytes are compared: comparing characters costs more than hashing them.
        guard text.utf8.count == length, text.utf8.starts(with: prefix.utf8),
            let time = Base64URL.bytes(of: text.utf8.dropFirst(prefix.utf8.count).prefix(timeLength))
        else { return nil }
        return SecretDigest(of: text.utf8, orderedBy: time.reduce(0) { $0 << 8 | UInt64(truncatingIfNeeded: $1) })
    }

    /// The digest to look a token of a protocol up by. Foreign tokens may have been issued elsewhere, in any form.
    package static func digest(of text: some StringProtocol, in name: Session.ProtocolName) -> SecretDigest? {
        if name == .native { return digest(of: text) }
        return (1...maximumForeignBytes).contains(text.utf8.count) ? SecretDigest(of: text.utf8) : nil
    }

    /// The digest that the database keeps of a token made here.
    package static func digest(ofNew token: Secret, in name: Session.ProtocolName) -> SecretDigest {
        digest(of: token.revealed, in: name) ?? token.digest
    }

    /// Bytes as lower-case hexadecimal digits.
    static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap {
                [digits[Int(truncatingIfNeeded: $0 >> 4)], digits[Int(truncatingIfNeeded: $0 & 15)]]
            }, as: UTF8.self)
    }
}
