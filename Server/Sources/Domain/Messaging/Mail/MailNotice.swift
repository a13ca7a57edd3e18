/// Makes mails that tell a user of what was done, ready for the queue (requirement 5).
package struct MailNotice: Sendable {
    /// How long telling is of use.
    private static let life: Duration = .days(1)

    let sealing: MailSealing
    let delivery: MailDelivery

    /// - Parameters:
    ///   - kind: What was done.
    ///   - user: To whom it was done. Only an address that was shown to be the user's is written to.
    ///   - application: Where.
    ///   - now: When.
    /// - Returns: the mail, to be put into the queue in the transaction that does it; `nil` when there is nobody to
    ///   tell, or no way to.
    /// - Throws: `secretUnreadable`, should the cryptographic library fail.
    package func callAsFunction(
        _ kind: MailKind, to user: User, in application: Application, at now: Timestamp
    ) throws(DomainError) -> QueuedMail? {
        guard delivery.isAvailable, user.emailVerifiedAt != nil, let email = user.email,
            let recipient = MailAddress(email)?.deliverable
        else { return nil }
        let letter = RenderedMessage(
            kind: kind, recipient: recipient, languages: [user.locale].compactMap { $0 }, email: email)
        return try sealing.queued(.letter(letter), of: kind, in: application.id, at: now, life: Self.life)
    }
}
