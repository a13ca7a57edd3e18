/// The secret that stands for a session: `oks_`, the user's id in base64url, a dot, and 43 characters base64url of 32 random
/// bytes (requirement 13). Foreign protocols have forms of their own, all with at least 128 random bits.
///
/// The id is no secret of its user's. It says where the session is stored, beside the user's other sessions, so that no index has to
/// (decision 0125). Tokens from before that decision have eight characters for the time of their making in its place, and no dot.
package enum SessionToken {
    package static let prefix = "oks_"
    private static let randomLength = 43
    private static let timeLength = 8
    /// The length of tokens from before decision 0125.
    private static let timedLength = prefix.utf8.count + timeLength + randomLength
    /// Longer ones are nobody's: ids have at most 128 characters.
    private static let maximumLength = prefix.utf8.count + 700 + 1 + randomLength
    /// Longer ones are nobody's, wherever they were issued.
    package static let maximumForeignBytes = 4096

    /// What the tokens of a protocol look like. All have at least 128 random bits.
    package enum Form: Hashable, Sendable {
        /// Okaeri's own, which say whose they are.
        case named
        case base64URL(byteCount: Int)
        case letters(count: Int)
        case hexadecimal(prefix: String, byteCount: Int)
    }

    /// Where a token leads: its digest, and whose it is where it says so.
    package struct Reference: Hashable, Sendable {
        package var digest: SecretDigest
        /// The session is one of this user's, if there is one; `nil` where it has to be looked for.
        package var user: Identifier<User>?

        package init(_ digest: SecretDigest, of user: Identifier<User>? = nil) {
            self.digest = digest
            self.user = user
        }
    }

    /// What is random of a new token: drawn before it is known whose it will be.
    package struct Draw: Sendable {
        fileprivate let form: Form
        fileprivate let random: String

        /// - Parameters:
        ///   - form: How the token looks.
        ///   - randomness: Where the random bits come from.
        package init(_ form: Form, _ randomness: any Randomness) {
            self.form = form
            random =
                switch form {
                case .named: Base64URL.text(of: randomness.bytes(32))
                case .base64URL(let byteCount): Base64URL.text(of: randomness.bytes(byteCount))
                case .letters(let count): randomness.randomBase62(characterCount: count)
                case .hexadecimal(let prefix, let byteCount): prefix + Hexadecimal.text(of: randomness.bytes(byteCount))
                }
        }

        /// A token of Okaeri's own that can be made again.
        ///
        /// - Parameter digest: What nobody else can make: of a key of this installation, and of random bytes.
        init(made digest: SecretDigest) {
            form = .named
            random = Base64URL.text(of: digest.bytes)
        }

        /// The token of a session of a user, to be handed out once.
        package func token(of user: Identifier<User>) -> Secret {
            guard form == .named else { return Secret(random) }
            return Secret("\(prefix)\(Base64URL.text(of: Array(user.rawValue.utf8))).\(random)")
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

    /// The digest of a token of Okaeri's own; `nil` when the text cannot be one.
    package static func digest(of text: some StringProtocol) -> SecretDigest? {
        // Bytes are compared: comparing characters costs more than hashing them.
        let bytes = text.utf8
        guard bytes.starts(with: prefix.utf8), bytes.count <= maximumLength else { return nil }
        if namesUser(bytes) { return SecretDigest(of: bytes) }
        guard bytes.count == timedLength,
            let time = Base64URL.bytes(of: bytes.dropFirst(prefix.utf8.count).prefix(timeLength))
        else { return nil }
        return SecretDigest(of: bytes, orderedBy: time.reduce(0) { $0 << 8 | UInt64(truncatingIfNeeded: $1) })
    }

    /// The digest of a token of a protocol. Foreign tokens may have been issued elsewhere, in any form.
    package static func digest(of text: some StringProtocol, in name: Session.ProtocolName) -> SecretDigest? {
        if name == .native { return digest(of: text) }
        return (1...maximumForeignBytes).contains(text.utf8.count) ? SecretDigest(of: text.utf8) : nil
    }

    /// Where a token of a protocol leads; `nil` for a text that cannot be one.
    package static func reference(of text: some StringProtocol, in name: Session.ProtocolName) -> Reference? {
        guard let digest = digest(of: text, in: name) else { return nil }
        guard name == .native, namesUser(text.utf8) else { return Reference(digest) }
        let coded = text.utf8.dropFirst(prefix.utf8.count).prefix { $0 != UInt8(ascii: ".") }
        // What names nobody leads nowhere.
        guard let id = Base64URL.bytes(of: coded).flatMap({ String(validating: $0, as: UTF8.self) }) else { return nil }
        return Reference(digest, of: Identifier(rawValue: id))
    }

    /// Where a token leads that was made here for a user.
    package static func reference(
        ofNew token: Secret, for user: Identifier<User>, in name: Session.ProtocolName
    ) -> Reference {
        Reference(token.digest, of: name == .native ? user : nil)
    }

    /// Whether there is a dot before the random part.
    private static func namesUser(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.count > prefix.utf8.count + 1 + randomLength
            && bytes.suffix(randomLength + 1).first == UInt8(ascii: ".")
    }
}
