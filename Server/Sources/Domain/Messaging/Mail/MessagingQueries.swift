/// What messaging needs of storage.
package protocol MessagingQueries {
    // MARK: Queue and outbox

    /// Puts a mail into the queue, and tells the workers of this process after the commit.
    func insert(_ mail: QueuedMail) throws(DomainError)
    /// The mail that is to be sent first, now or later.
    ///
    /// - Parameter applications: Those whose mails are passed over.
    /// - Returns: the mail, which others may take meanwhile.
    /// - Throws: `storageUnavailable`.
    func nextMail(notOf applications: Set<Identifier<Application>>) throws(DomainError) -> QueuedMail?
    /// Takes a mail, and keeps it from others until `lease` is over.
    ///
    /// - Parameters:
    ///   - mail: As it was read.
    ///   - lease: When the mail is due again, should its worker die.
    ///   - claim: Names the taker.
    /// - Returns: the mail, with the claim and this attempt counted; `nil` when another one has taken it.
    /// - Throws: `storageUnavailable`.
    func claim(
        _ mail: QueuedMail, until lease: Timestamp, by claim: String
    ) throws(DomainError) -> QueuedMail?
    /// Replaces what a claimed mail holds; `false` when the claim is over.
    func replaceContent(of mail: QueuedMail) throws(DomainError) -> Bool
    /// Writes when a claimed mail is tried again and why it failed, and gives it back; or that it was given up, and erases what it says
    /// when that is `nil`. What else it says stays as it is stored. Nothing happens when its claim is over. Tells the workers of this
    /// process of a new time after the commit.
    func postpone(_ mail: QueuedMail) throws(DomainError)
    /// Removes a claimed mail: it was sent, or is for nobody. Nothing happens when its claim is over.
    func remove(_ mail: QueuedMail) throws(DomainError)
    /// An application's mails that wait or were given up, oldest first.
    ///
    /// - Parameters:
    ///   - application: Whose.
    ///   - last: The last one of the page before; `nil` for the first page.
    ///   - limit: The most of a page.
    /// - Returns: the page.
    /// - Throws: `storageUnavailable`.
    func queuedMail(
        in application: Identifier<Application>, after last: Identifier<QueuedMail>?, limit: Int
    ) throws(DomainError) -> [QueuedMail]
    func queuedMail(
        _ id: Identifier<QueuedMail>, in application: Identifier<Application>
    ) throws(DomainError) -> QueuedMail?
    /// Lets a mail be due that waits for a later time or was given up; nothing happens while somebody sends it. Tells the workers of this
    /// process after the commit.
    func makeDue(_ mail: QueuedMail, at now: Timestamp) throws(DomainError)
    /// The same for all of an application's that are of use at that time, the oldest first; how many they are.
    func makeMailDue(
        in application: Identifier<Application>, at now: Timestamp, limit: Int
    ) throws(DomainError) -> Int
    /// Removes a mail, also while a node sends it.
    func drop(_ mail: QueuedMail) throws(DomainError)
    /// How many mails wait in all applications, how many were given up, and since when the oldest that waits does.
    func mailQueueLength() throws(DomainError) -> (waiting: Int, givenUp: Int, oldest: Timestamp?)

    /// Keeps a mail in the outbox; a second one of the same id changes nothing.
    func insert(_ mail: OutboxMail) throws(DomainError)
    /// An application's outbox, newest first.
    func outboxMail(in application: Identifier<Application>, limit: Int) throws(DomainError) -> [OutboxMail]
    /// Removes mails of the outbox that were made before an instant, so many at the most; how many they were.
    func removeOutboxMail(before limit: Timestamp, count: Int) throws(DomainError) -> Int

    /// Mails that were given up and made before an instant, and mails that were of no use any more by then, should nobody have
    /// looked after the queue. It may look at all that wait: ask beside the writer.
    ///
    /// - Parameters:
    ///   - limit: The instant.
    ///   - last: The last one of the part before; `nil` for the first part.
    ///   - count: The most of a part.
    /// - Returns: the part, in the order of the queue's table.
    /// - Throws: `storageUnavailable`.
    func oldMail(
        before limit: Timestamp, after last: QueuedMail.Position?, count: Int
    ) throws(DomainError) -> [QueuedMail.Position]
    /// Removes those of them of which the same still holds.
    func remove(_ mails: [QueuedMail.Position], before limit: Timestamp) throws(DomainError)
    /// The same as `oldMail` of mails that were given up, that say something, and that are of no use any more at an instant.
    func mailToErase(
        ofNoUseAt now: Timestamp, after last: QueuedMail.Position?, count: Int
    ) throws(DomainError) -> [QueuedMail.Position]
    /// Erases what those of them say of which the same still holds.
    func erase(_ mails: [QueuedMail.Position], ofNoUseAt now: Timestamp) throws(DomainError)

    /// Whether a mail waits beyond an instant, or waits and was never tried. It may look at all that wait: ask beside the writer.
    func hasMailWaiting(beyond limit: Timestamp, at now: Timestamp) throws(DomainError) -> Bool
    /// Lets such mails be due, so many at the most: no wait is so long, and the clock was set back. The number of them.
    func shortenMailWaits(beyond limit: Timestamp, to now: Timestamp, count: Int) throws(DomainError) -> Int

    // MARK: Mailed codes

    /// Keeps a code in the place of the user's earlier one of its kind.
    func replaceCode(with code: MailedCode) throws(DomainError)
    func code(_ handle: SecretDigest, in application: Identifier<Application>) throws(DomainError) -> MailedCode?
    /// The address that a user's code of a kind was mailed to, until when it is good, and in which session it was ordered.
    func mailedAddress(
        of kind: MailKind, user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> (address: String, expiresAt: Timestamp, origin: String?)?
    /// Writes `usedBy`.
    func markUsed(_ code: MailedCode) throws(DomainError)
    /// Removes a user's code of a kind; nothing happens when there is none.
    func removeCode(
        of kind: MailKind, user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError)
    /// Removes all of a user's codes, used ones too, but one by its handle and the one that gives a former address back; the number
    /// that went.
    func removeCodes(
        of user: Identifier<User>, in application: Identifier<Application>, except kept: SecretDigest?
    ) throws(DomainError) -> Int
    /// Removes codes that ended before an instant, so many at the most; how many they were.
    func removeCodes(endedBefore limit: Timestamp, count: Int) throws(DomainError) -> Int
}
