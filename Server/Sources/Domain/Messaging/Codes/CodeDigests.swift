/// Makes what is kept of codes.
package struct CodeDigests: Sendable {
    package let key: SealingKey

    package init(key: SealingKey) {
        self.key = key
    }

    /// What a code belongs to: only together with it the code is good (requirement 9).
    package enum Subject: Hashable, Sendable {
        /// What the response to the request returned.
        case ticket(String)
        /// Whose session it is.
        case user(Identifier<User>)
        /// Whom the request names, which anybody can. The codes are those of `user`.
        case named(Identifier<User>)
        /// The code itself, which is long enough to stand alone.
        case code

        fileprivate func text(_ code: String) -> String {
            switch self {
            case .ticket(let ticket): "ticket \(ticket)"
            case .user(let user), .named(let user): "user \(user)"
            case .code: "code \(code)"
            }
        }
    }

    /// - Parameters:
    ///   - kind: What the code is for.
    ///   - application: Where.
    ///   - subject: What it belongs to.
    ///   - code: The code in its normal form.
    /// - Returns: what it is looked up by, and what it is compared with.
    package func digests(
        of kind: MailKind, in application: Identifier<Application>, _ subject: Subject, _ code: String
    ) -> (handle: SecretDigest, digest: SecretDigest) {
        let text = subject.text(code)
        return (
            key.digest(of: kind.rawValue, application.rawValue, text, purpose: "code handle"),
            key.digest(of: kind.rawValue, application.rawValue, text, code, purpose: "code")
        )
    }
}
