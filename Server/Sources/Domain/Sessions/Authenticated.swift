import Synchronization

/// Who makes a request. A reference, so that a hit in the cache copies one pointer.
package final class Authenticated: Sendable {
    package let application: Application
    package let session: Session
    package let user: User
    package let tokenDigest: SecretDigest
    /// How much there is that the caller's device has not acknowledged; see `ListNotices`.
    package let noticeCount: Int
    /// When the transfer by which the session's device joined cannot be undone any more, as long as no device of before has
    /// acknowledged it; `nil` for all other sessions. See `requireConfirmed`.
    let unconfirmedUntil: Timestamp?
    private let written = AtomicLazyReference<EncodedUser>()
    /// Milliseconds since 1970 of the last use that was noted.
    private let lastNotedUse: Atomic<Int64>

    package init(
        application: Application, session: Session, user: User, tokenDigest: SecretDigest, transfers: [Transfer] = []
    ) {
        self.application = application
        self.session = session
        self.user = user
        self.tokenDigest = tokenDigest
        noticeCount = transfers.count { $0.isNews(to: session, of: user) }
        unconfirmedUntil = transfers.filter { $0.isUnconfirmed(by: session) }.map(\.undoEnd).max()
        lastNotedUse = Atomic(session.lastUsedAt.milliseconds)
    }

    /// The user as a protocol wrote it before: it holds as long as this entry does.
    package var encodedUser: EncodedUser? { written.load() }

    /// Keeps the user as a protocol writes it. The first one stays.
    package func keep(_ user: EncodedUser) {
        _ = written.storeIfNil(user)
    }

    /// The last use, whether or not it is in the database already.
    var lastUsedAt: Timestamp { Timestamp(milliseconds: lastNotedUse.load(ordering: .relaxed)) }

    /// Notes a use.
    ///
    /// - Returns: the use before, for the one caller that shall write this one down, at most once per `resolution`.
    func noteUse(at now: Timestamp, resolution: Duration) -> Timestamp? {
        let before = lastNotedUse.load(ordering: .relaxed)
        guard now.milliseconds - before >= resolution.wholeMilliseconds else { return nil }
        let isOurs = lastNotedUse.compareExchange(
            expected: before, desired: now.milliseconds, ordering: .relaxed
        ).exchanged
        return isOurs ? Timestamp(milliseconds: before) : nil
    }
}

extension Authenticated {
    /// Whether the session is there still, in the transaction that stores what the request makes (decision 0179).
    ///
    /// - Throws: `storageUnavailable`.
    func hasSession(in transaction: any Transaction) throws(DomainError) -> Bool {
        try transaction.hasSession(session.id, of: session.user, in: session.application)
    }

    /// - Throws: `sessionInvalid` when the session has ended since the request came in, `storageUnavailable`.
    func requireSession(in transaction: any Transaction) throws(DomainError) {
        guard try hasSession(in: transaction) else { throw .sessionInvalid }
    }
}

extension Transaction {
    /// Whether a user has a session that has not ended.
    ///
    /// - Throws: `storageUnavailable`.
    func hasSession(
        _ id: Identifier<Session>, of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        try sessions(of: user, in: application).contains { $0.id == id }
    }
}

/// A user in the words of one protocol.
package final class EncodedUser: Sendable {
    package let protocolName: Session.ProtocolName
    package let bytes: [UInt8]

    package init(protocolName: Session.ProtocolName, bytes: [UInt8]) {
        self.protocolName = protocolName
        self.bytes = bytes
    }
}
