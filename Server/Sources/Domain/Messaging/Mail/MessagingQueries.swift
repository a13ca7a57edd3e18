/// What messaging needs of storage.
package protocol MessagingQueries {
    // MARK: Queue and outbox

    /// Puts a mail into the queue, and tells the workers of this process after the commit.
    func insert(_ mail: QueuedMail) throws(DomainError)
    /// Takes mails that are due, the longest waiting first, and keeps them from others until `lease` is over.
    ///
    /// - Parameters:
    ///   - now: Mails that wait until then are due.
    ///   - limit: The most to take.
    ///   - lease: When a mail whose worker died is due again.
    ///   - claim: Names the taker.
    /// - Returns: the mails, with the claim and this attempt counted.
    /// - Throws: `storageUnavailable`.
    func claimMail(
        dueBy now: Timestamp, limit: Int, lease: Timestamp, claim: String
    ) throws(DomainError) -> [QueuedMail]
    /// When the next mail is due.
    func nextMailAt() throws(DomainError) -> Timestamp?
    /// Replaces what a claimed mail holds; `false` when the claim is over.
    func replaceContent(of mail: QueuedMail) throws(DomainError) -> Bool
    /// Writes when a claimed mail is tried again and why it failed, or that it was given up. Nothing happens when its claim
    /// is over.
    func postpone(_ mail: QueuedMail) throws(DomainError)
    /// Removes a claimed mail: it was sent, or is for nobody. Nothing happens when its claim is over.
    func remove(_ mail: QueuedMail) throws(DomainError)
    /// An application's mails that wait or were given up, oldest first.
    func queuedMail(in application: Identifier<Application>, limit: Int) throws(DomainError) -> [QueuedMail]
    /// How many mails wait in all applications, how many were given up, and since when the oldest that waits does.
    func mailQueueLength() throws(DomainError) -> (waiting: Int, givenUp: Int, oldest: Timestamp?)

    /// Keeps a mail in the outbox; a second one of the same id changes nothing.
    func insert(_ mail: OutboxMail) throws(DomainError)
    /// An application's outbox, newest first.
    func outboxMail(in application: Identifier<Application>, limit: Int) throws(DomainError) -> [OutboxMail]
    /// Removes mails that were given up, and mails of the outbox, made before an instant, and mails that were of no use
    /// any more by then, should nobody have looked after the queue.
    func removeMail(before limit: Timestamp) throws(DomainError)

    // MARK: Mailed codes

    /// Keeps a code in the place of the user's earlier one of its kind.
    func replaceCode(with code: MailedCode) throws(DomainError)
    func code(_ handle: SecretDigest, in application: Identifier<Application>) throws(DomainError) -> MailedCode?
    /// The address that a user's code of a kind was mailed to, and until when it is good.
    func mailedAddress(
        of kind: MailKind, user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> (address: String, expiresAt: Timestamp)?
    /// Writes `usedBy`.
    func markUsed(_ code: MailedCode) throws(DomainError)
    /// Removes a user's code of a kind; nothing happens when there is none.
    func removeCode(
        of kind: MailKind, user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError)
    /// Removes all of a user's codes, used ones too, but one by its handle; the number that went.
    func removeCodes(
        of user: Identifier<User>, in application: Identifier<Application>, except kept: SecretDigest?
    ) throws(DomainError) -> Int
    func removeCodes(endedBefore limit: Timestamp) throws(DomainError)
}
