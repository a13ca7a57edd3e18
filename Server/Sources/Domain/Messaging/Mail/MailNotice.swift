/// Makes mails that tell a user of what was done, ready for the queue (requirement 5).
package struct MailNotice: Sendable {
    /// How long telling is of use.
    private static let life: Duration = .days(1)

    let sealing: MailSealing
    let delivery: MailDelivery

    /// - Parameters:
    ///   - kind: What was done.
    ///   - user: To whom it was done. Where the kind does not say otherwise, only an address that was shown to be the
    ///     user's is written to.
    ///   - application: Where.
    ///   - now: When.
    /// - Returns: the mail, to be put into the queue in the transaction that does it; `nil` when there is nobody to
    ///   tell, or no way to.
    /// - Throws: `secretUnreadable`, should the cryptographic library fail.
    func callAsFunction(
        _ kind: MailKind, to user: User, in application: Identifier<Application>, at now: Timestamp
    ) throws(DomainError) -> ReadyNotice? {
        let isVerified = user.emailVerifiedAt != nil
        guard delivery.isAvailable, isVerified || kind.reachesUnverified, let email = user.email,
            let recipient = MailAddress(email)?.deliverable
        else { return nil }
        let rendered = RenderedMessage(
            kind: kind, recipient: recipient, languages: [user.locale].compactMap { $0 }, email: email)
        let mail = try sealing.queued(.rendered(rendered), of: kind, in: application, at: now, life: Self.life)
        let address = LogInIdentifier(.email, shown: email).folded
        return ReadyNotice(
            mail: mail,
            counter: isVerified
                ? nil
                : RateLimitKey(
                    application: application, kind: "unverified-notice",
                    subject: Base64URL.text(of: SecretDigest(of: address.utf8).bytes)))
    }
}

/// A notice, for the transaction of the change that it tells of.
struct ReadyNotice: Sendable {
    /// An address that nobody has confirmed may be a stranger's, who must not be buried in mail.
    static let limitOfUnverified = RateLimit(maximum: 3, window: .days(1))

    fileprivate let mail: QueuedMail
    /// What is counted for an address that nobody has confirmed.
    fileprivate let counter: RateLimitKey?

    func send(in transaction: any Transaction, at now: Timestamp) throws(DomainError) {
        if let counter {
            let limit = Self.limitOfUnverified
            guard try transaction.count(counter, window: limit.window, at: now).count <= limit.maximum else { return }
        }
        try transaction.insert(mail)
    }
}
