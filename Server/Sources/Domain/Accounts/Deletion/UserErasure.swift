/// The end of a user: who brings it about, when it comes, and what the audit log says. The table of all ways, and the one
/// function that stores them; `EndAccount` calls it for one user.
///
/// At once: everything that is stored goes but the audit log, which is the tombstone. After the grace: sessions and all that
/// waits end now, and a log-in until then can bring the user back. Either way the providers are asked at once to end their
/// grants: the identities stay for the grace, and a log-in with the provider brings a new grant.
struct UserErasure: Sendable {
    /// The ways in which a user ends.
    enum Way: Sendable {
        /// The user asks for it: after the grace.
        case requested
        /// An operator deletes the user: after the grace.
        case deletedByOperator
        /// Another service says that the person is gone: after the grace.
        case goneElsewhere
        /// The grace is over for users whose deletion was requested by a time.
        case graceOver(before: Timestamp)
        /// An operator does not wait for the grace.
        case erasedByOperator
        /// In protocols whose apps make the same user again right after it: at once, by the user or an operator,
        /// whatever the ACL says. Users on the way out are unknown there, unless operators see them.
        case erasedByProtocol(seesLeaving: Bool)
        /// An anonymous user without activity since a time, who is not on the way out.
        case idle(since: Timestamp)
    }

    /// What became of the user.
    enum Outcome: Hashable, Sendable {
        case erased
        /// On the way out, since the first request.
        case leaving(since: Timestamp)
        /// The rule of the way does not hold of the user.
        case kept
        /// There is no such user.
        case unknown
    }

    let way: Way
    private var ready: ReadyChanges
    private let revocations: RevocationIds?
    private let now: Timestamp

    /// Drawn before the transaction, which may run twice.
    ///
    /// - Parameters:
    ///   - way: How the user ends.
    ///   - application: Where.
    ///   - author: Who asks for it.
    ///   - audit: Drafts the entry.
    ///   - now: When.
    /// - Throws: `reauthenticationRequired`.
    init(
        _ way: Way, in application: Identifier<Application>, by author: AccountAuthor, audit: AuditTrail, now: Timestamp
    ) throws(DomainError) {
        self.way = way
        self.now = now
        ready = try audit.ready([way.change], in: application, by: author, at: now)
        revocations = way.revokesGrants ? RevocationIds(audit.randomness, at: now) : nil
    }

    /// The end, with the mail that notifies the user.
    ///
    /// - Parameters:
    ///   - known: The user as known before the transaction; `nil` when there is none.
    ///   - notice: Makes the mail.
    /// - Returns: the same end.
    /// - Throws: `secretUnreadable`, should the cryptographic library fail.
    func notifying(_ known: User?, by notice: MailNotice) throws(DomainError) -> UserErasure {
        guard let known, let kind = way.change.policy.mail,
            let mail = try notice(kind, to: known, in: known.application, at: now)
        else { return self }
        var erasure = self
        erasure.ready.notices[kind] = [mail]
        return erasure
    }

    /// Ends a user, if the rule of the way holds.
    ///
    /// - Throws: `accessRefused`, `reauthenticationRequired`, `storageUnavailable`.
    func store(
        _ id: Identifier<User>, in application: Identifier<Application>, _ transaction: any Transaction
    ) throws(DomainError) -> Outcome {
        guard let user = try transaction.user(id, in: application) else { return .unknown }
        guard try way.holds(of: user, in: transaction) else { return .kept }
        return way.isAtOnce ? try erase(user, in: transaction) : try leave(user, in: transaction)
    }

    private func erase(_ user: User, in transaction: any Transaction) throws(DomainError) -> Outcome {
        var gone = user
        try ready.settle([way.change: way.details], of: &gone, keeping: .nothing, in: transaction)
        try revokeGrants(of: user) { identity, revocation throws(DomainError) in
            try transaction.forgetGrant(of: identity, in: user.application, revocation: revocation, at: now)
        }
        try transaction.erase(user.id, in: user.application)
        return .erased
    }

    /// The providers hear of it as soon as they can be reached (requirement 34).
    private func revokeGrants(
        of user: User, _ revoke: (Identity, Identifier<ProviderRevocation>) throws(DomainError) -> Void
    ) throws(DomainError) {
        guard let revocations else { return }
        for pair in revocations.pairs(of: user) { try revoke(pair.identity, pair.revocation) }
    }

    private func leave(_ user: User, in transaction: any Transaction) throws(DomainError) -> Outcome {
        var user = user
        if let before = user.deletionRequestedAt {
            try ready.repeated(way.change, of: &user, in: transaction)
            return .leaving(since: before)
        }
        user.deletionRequestedAt = now
        try transaction.updateStanding(of: user)
        try revokeGrants(of: user) { identity, revocation throws(DomainError) in
            try transaction.revokeGrant(of: identity, in: user.application, revocation: revocation, at: now)
        }
        // Within the grace one comes back by what leads to the user, and by nothing that waits.
        try ready.settle([way.change: way.details], of: &user, keeping: .nothing, in: transaction)
        return .leaving(since: now)
    }
}

/// Ends the account of one user, with the mail that notifies the user. All who end a single user by its id call it.
struct EndAccount: Sendable {
    let store: any Store
    let clock: any WallClock
    let changes: AccountChanges

    /// - Parameters:
    ///   - id: Whose.
    ///   - way: How the user ends.
    ///   - application: Where.
    ///   - author: Who asks for it.
    /// - Returns: what became of the user.
    /// - Throws: `accessRefused`, `reauthenticationRequired`, `storageUnavailable`; `secretUnreadable`, should the
    ///   cryptographic library fail.
    func callAsFunction(
        of id: Identifier<User>, _ way: UserErasure.Way, in application: Identifier<Application>,
        by author: AccountAuthor
    ) async throws(DomainError) -> UserErasure.Outcome {
        let known = try await store.read { transaction throws(DomainError) in
            try transaction.user(id, in: application)
        }
        let erasure = try UserErasure(way, in: application, by: author, audit: changes.audit, now: clock.now)
            .notifying(known, by: changes.notice)
        return try await store.write { transaction throws(DomainError) in
            try erasure.store(id, in: application, transaction)
        }
    }
}

extension UserErasure.Way {
    /// Whether the user is gone afterwards, or only on the way out.
    var isAtOnce: Bool {
        switch self {
        case .requested, .deletedByOperator, .goneElsewhere: false
        case .graceOver, .erasedByOperator, .erasedByProtocol, .idle: true
        }
    }

    /// The row of the table.
    var change: AccountChange {
        switch self {
        case .requested, .deletedByOperator, .goneElsewhere: .deletionRequested
        case .graceOver, .erasedByOperator, .idle: .erased
        case .erasedByProtocol: .erasedAtOnce
        }
    }

    /// Why, for the audit log.
    var details: [String: String] {
        switch self {
        case .requested, .deletedByOperator, .goneElsewhere: [:]
        case .graceOver, .erasedByProtocol: ["reason": "deletion"]
        case .erasedByOperator: ["reason": "operator"]
        case .idle: ["reason": "idle"]
        }
    }

    /// Whether providers may have grants to end. Anonymous users have none.
    var revokesGrants: Bool {
        switch self {
        case .requested, .deletedByOperator, .goneElsewhere, .graceOver, .erasedByOperator, .erasedByProtocol: true
        case .idle: false
        }
    }

    /// Whether the way is open for a user as it is in this transaction, whatever was known before.
    ///
    /// - Throws: `storageUnavailable`.
    func holds(of user: User, in transaction: any Transaction) throws(DomainError) -> Bool {
        switch self {
        case .requested, .deletedByOperator, .goneElsewhere, .erasedByOperator: return true
        case .graceOver(let limit):
            guard let requestedAt = user.deletionRequestedAt else { return false }
            return requestedAt <= limit
        case .erasedByProtocol(let seesLeaving): return user.deletionRequestedAt == nil || seesLeaving
        case .idle(let limit):
            // Who is on the way out has a time until which to come back. Who has a password was registered, and lost the number to
            // somebody who proved it (`takeUnproved`): an operator gives such a user another way in (decision 0272).
            guard user.isAnonymous, !user.hasPassword, AccountGate.isOpen(to: user) else { return false }
            let imported = try transaction.importTime(of: user.id, in: user.application)
            // To whom nothing leads and who was never there was made by an admin, and lost the number in the same way (decision 0324).
            guard user.lastLogInAt != nil || imported != nil || !user.isOutOfReach else { return false }
            // Until it was taken in, the user may have been there elsewhere each day.
            if let imported, imported >= limit { return false }
            let uses = try transaction.sessions(of: user.id, in: user.application).map(\.lastUsedAt)
            let known = uses.reduce(user.lastLogInAt ?? user.createdAt, max)
            guard known < limit else { return false }
            // Of a session that has ended only the day of its last use is left, which counts to its end.
            let day = try transaction.daySeen(of: user.id, in: user.application)
            return day <= known.day || day < limit.day
        }
    }
}

extension Transaction {
    /// Puts a user on the way out to whom nothing leads any more, because a device or everything of it went over to another one. What
    /// a request to be deleted ends, ends: by a link from before, the user would take the address of its mail along.
    ///
    /// - Parameters:
    ///   - user: Who stays behind. Changed too.
    ///   - requestedAt: When the grace begins.
    ///   - now: When.
    /// - Throws: `storageUnavailable`.
    func leaveBehind(_ user: inout User, since requestedAt: Timestamp, at now: Timestamp) throws(DomainError) {
        user.deletionRequestedAt = requestedAt
        try updateStanding(of: user)
        _ = try evict(by: .deletionRequested, from: &user, keeping: .nothing, at: now)
    }

    /// Brings a user back from the way out. Sessions stay ended.
    ///
    /// - Throws: `storageUnavailable`.
    func restore(_ user: inout User) throws(DomainError) {
        user.deletionRequestedAt = nil
        try updateStanding(of: user)
    }
}
