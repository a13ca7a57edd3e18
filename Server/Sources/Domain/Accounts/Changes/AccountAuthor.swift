/// Who asks for a change of an account, what was shown with the request, and what of the ways in the caller uses. It
/// alone compares a request with the table's columns “who may” and “must be fresh”.
package struct AccountAuthor: Sendable {
    package let actor: AccountActor
    /// As the audit log has it.
    let entry: Operator
    /// What the caller uses: some changes end all else.
    let kept: KeptAccess
    /// What the request has shown.
    private var shown: Set<AccountPolicy.Proof>
    /// The session of the request, which shows that the owner is there as long as it is fresh.
    private let caller: Authenticated?
    /// The session that the request itself has opened.
    private var opened: Session?
    /// In what the code was ordered that the request shows.
    private var ordering: Ordering?

    /// In what a code was ordered.
    enum Ordering: Sendable {
        case session(Session)
        /// One that has ended since, and may have been of a protocol whose apps show nothing more. Who stole it would log it out
        /// before showing the code.
        case endedSession
    }

    private init(
        _ actor: AccountActor, _ entry: Operator, keeping kept: KeptAccess, caller: Authenticated?,
        showing shown: Set<AccountPolicy.Proof>
    ) {
        self.actor = actor
        self.entry = entry
        self.kept = kept
        self.caller = caller
        self.shown = shown
    }

    /// The owner of a session.
    ///
    /// - Parameters:
    ///   - who: Whose session it is.
    ///   - isProven: Whether the request came with a proof by the session's key, which shows that an anonymous user is
    ///     there: there is nothing else to prove by.
    ///   - origin: Where the request came from.
    /// - Returns: the author.
    package static func owner(_ who: Authenticated, isProven: Bool, from origin: RequestOrigin) -> AccountAuthor {
        let isShown = isProven && who.session.isShownByKey(who.user) || !who.session.protocolName.canReauthenticate
        return AccountAuthor(
            .owner(who.user.id), Operator(actor: .user(who.user.id), origin: origin), keeping: KeptAccess(who),
            caller: who, showing: isShown ? [.recentLogIn] : [])
    }

    /// Who asks in a protocol with access lists. The session stays when it is one of the user who is edited. Without a
    /// session it is an operator or nobody in particular.
    package init(
        _ actor: AccountActor, of user: Identifier<User>, session: Authenticated?, from origin: RequestOrigin
    ) {
        let isShown = session?.session.protocolName.canReauthenticate != true
        self.init(
            actor, Operator(actor: actor.inAudit, origin: origin),
            keeping: session.map { $0.user.id == user ? KeptAccess($0) : .nothing } ?? .nothing,
            caller: session, showing: isShown ? [.recentLogIn] : [])
    }

    /// Who has logged in by the same request, in a protocol with access lists. The log-in is what it shows; its session must not
    /// have ended where the change is stored.
    package init(loggedIn session: Session, from origin: RequestOrigin) {
        self.init(.owner(session.user), of: session.user, session: nil, from: origin)
        opened = session
    }

    /// Somebody who operates the server. What must be fresh for operators is in the table of their actions.
    package static func `operator`(_ who: Operator) -> AccountAuthor {
        AccountAuthor(.operator, who, keeping: .nothing, caller: nil, showing: [])
    }

    /// Who shows something that was given to a user, or that only the user knows.
    static func holder(
        of user: Identifier<User>, showing proof: AccountPolicy.Proof, from origin: RequestOrigin,
        keeping kept: KeptAccess
    ) -> AccountAuthor {
        AccountAuthor(
            .holder(of: user), Operator(actor: .user(user), origin: origin), keeping: kept, caller: nil,
            showing: [proof])
    }

    /// The user of a session, who shows to be another user too.
    static func party(
        _ who: Authenticated, and other: Identifier<User>, showing proof: AccountPolicy.Proof,
        from origin: RequestOrigin
    ) -> AccountAuthor {
        AccountAuthor(
            .holder(of: other), Operator(actor: .user(who.user.id), origin: origin), keeping: .nothing, caller: nil,
            showing: [proof])
    }

    /// Somebody of whom only the transaction finds out who it is.
    static func unknown(showing proof: AccountPolicy.Proof, from origin: RequestOrigin) -> AccountAuthor {
        AccountAuthor(
            .user(nil, standard: []), Operator(actor: .unknown, origin: origin), keeping: .nothing, caller: nil,
            showing: [proof])
    }

    /// Somebody who becomes a user by the request.
    static func newcomer(_ actor: AuditEntry.Actor, from origin: RequestOrigin) -> AccountAuthor {
        AccountAuthor(
            .newcomer, Operator(actor: actor, origin: origin), keeping: .nothing, caller: nil, showing: [])
    }

    /// An identity provider, by a message that it signed.
    static func provider(_ provider: Identity.Provider, from origin: RequestOrigin) -> AccountAuthor {
        AccountAuthor(
            .provider(provider), Operator(actor: .provider(provider), origin: origin), keeping: .nothing, caller: nil,
            showing: [])
    }

    /// The server by itself, at the time set for it.
    static let server = AccountAuthor(.server, .server, keeping: .nothing, caller: nil, showing: [])

    /// The user whose session asks, and from where, for limits on what that costs; `nil` where there is no session.
    var payer: (user: Identifier<User>, address: ClientAddress)? {
        guard let caller, !actor.isOperator, let text = entry.origin.address else { return nil }
        return (caller.user.id, ClientAddress(text: text, isOldApp: !caller.session.protocolName.canReauthenticate))
    }

    /// By which way of log-in the session of the request was opened; `nil` where there is none.
    var way: Session.LogInMethod? { (opened ?? caller?.session)?.method }

    /// Whether a session alone stands behind the change, of a protocol whose apps need not show more, and neither a password nor a
    /// log-in within ten minutes: who has stolen it asks in the same way.
    func hasSessionAlone(at now: Timestamp) -> Bool {
        guard !actor.isOperator, !shown.contains(.currentPassword) else { return false }
        let asking = ordering ?? caller.map { Ordering.session($0.session) }
        switch asking {
        case .session(let session)?: return !session.protocolName.canReauthenticate && !session.isFresh(at: now)
        case .endedSession?: return true
        case nil: return false
        }
    }

    /// The same request, which shows a code.
    ///
    /// - Parameter ordering: In what the code was ordered; `nil` where that says nothing.
    /// - Returns: the author.
    func ordered(by ordering: Ordering?) -> AccountAuthor {
        var author = self
        author.ordering = ordering
        return author
    }

    /// The same request, which has shown something more.
    func showing(_ proof: AccountPolicy.Proof) -> AccountAuthor {
        var author = self
        author.shown.insert(proof)
        return author
    }
}

extension AccountAuthor {
    /// Compares a request with the rows of what it changes.
    ///
    /// - Parameters:
    ///   - changes: The rows.
    ///   - user: Whom they concern, as read in the transaction.
    ///   - found: Who asks, when only the transaction finds that out.
    ///   - now: When.
    /// - Throws: `accessRefused` for who may not, `reauthenticationRequired` for what must be fresh, `transferUnconfirmed` for what
    ///   a device that joined by a transfer code does not show yet.
    func require(
        _ changes: Set<AccountChange>, of user: User, by found: AccountActor? = nil, at now: Timestamp
    ) throws(DomainError) {
        let actor = found ?? actor
        try actor.require(changes, of: user)
        for change in changes { try requireProof(of: change, by: actor, for: user, at: now) }
    }

    /// Compares a request with the column “must be fresh” of all that it changes.
    ///
    /// - Throws: as below.
    func requireProof(of changes: Set<AccountChange>, at now: Timestamp) throws(DomainError) {
        for change in changes { try requireProof(of: change, at: now) }
    }

    /// Compares a request with the column “must be fresh”, for what has to be refused before anything else is done.
    ///
    /// - Throws: `reauthenticationRequired`, `transferUnconfirmed`; `accessRefused` without what only the request itself can show.
    package func requireProof(of change: AccountChange, at now: Timestamp) throws(DomainError) {
        try requireProof(of: change, by: actor, for: caller?.user, at: now)
    }

    /// - Throws: `reauthenticationRequired` when the owner has not shown to be there within ten minutes (requirement 18),
    ///   `transferUnconfirmed` when the device that shows it joined by a transfer code that no other device has acknowledged.
    func requireRecentLogIn(at now: Timestamp) throws(DomainError) {
        try requireRecentLogIn(of: caller?.user, at: now)
    }

    /// The same for a change of a user, as last read. What a session does not show concerns its own user alone.
    private func requireRecentLogIn(of user: User?, at now: Timestamp) throws(DomainError) {
        if let caller, let user, user.id == caller.user.id {
            try caller.requireConfirmedPresence(of: user, at: now)
        }
        guard shown.contains(.recentLogIn) || caller?.session.isFresh(at: now) == true else {
            throw .reauthenticationRequired
        }
    }

    /// Looks for the session of the request once more, where the change is stored: whatever has ended it since the request came
    /// in comes first, and would have ended what the request makes. Operators act by themselves.
    ///
    /// - Throws: `sessionInvalid`, `storageUnavailable`.
    func requireSession(in transaction: any Transaction) throws(DomainError) {
        guard !actor.isOperator else { return }
        if let opened, try !transaction.hasSession(opened.id, of: opened.user, in: opened.application) {
            throw .sessionInvalid
        }
        try caller?.requireSession(in: transaction)
    }

    /// Refuses an edit of the own account that came in before its sessions ended: edits of the profile alone do not look for
    /// theirs (decision 0179). Who was left in a merge has been read before it, so that what is written later would be lost.
    ///
    /// - Parameter user: Whom the edit is of, as read in the transaction that stores it.
    /// - Throws: `sessionInvalid` when the user is kept out or on the way out since.
    func requireOpenAccount(of user: User) throws(DomainError) {
        guard !actor.isOperator, let caller, caller.user.id == user.id else { return }
        guard AccountGate.isOpen(to: user) else { throw .sessionInvalid }
    }

    private func requireProof(
        of change: AccountChange, by actor: AccountActor, for user: User?, at now: Timestamp
    ) throws(DomainError) {
        let fresh = change.policy.fresh
        guard actor.isAsked, !fresh.isEmpty else { return }
        // A key's proof is weighed too: that of a device which joined a moment ago shows nothing of the owner.
        if fresh.subtracting([.recentLogIn]).isDisjoint(with: shown) {
            guard fresh.contains(.recentLogIn) else { throw .accessRefused }
            try requireRecentLogIn(of: user, at: now)
        }
        if let caller, let user, user.id == caller.user.id {
            try caller.requireSecondFactor(for: change, of: user, at: now)
        }
    }
}

extension Authenticated {
    /// Compares the session with what a change needs beside a recent log-in: the second factor, of a user who has one, and
    /// of all registered users where the application demands it for the change.
    ///
    /// - Throws: `secondFactorNotRecent`, `secondFactorEnrolmentRequired`.
    fileprivate func requireSecondFactor(
        for change: AccountChange, of user: User, at now: Timestamp
    ) throws(DomainError) {
        let rules = application.settings.secondFactors
        guard rules.mode != .off || AccountChange.ofSecondFactors.contains(change) else { return }
        let isDemanded = rules.demandedFor.contains(change.demanded)
        guard isDemanded || AccountChange.guarded.contains(change), !isExempt(by: rules, for: change, of: user)
        else { return }
        guard user.hasSecondFactor else {
            guard isDemanded, !user.isAnonymous, change != .secondFactorAdded else { return }
            throw .secondFactorEnrolmentRequired(nil)
        }
        guard session.hasRecentSecondFactor(at: now) else { throw .secondFactorNotRecent }
    }

    /// Whether the session is one of an old protocol, whose apps cannot show it, and the application lets that be: not where a
    /// reset would then take the factor away from all other ways in too.
    private func isExempt(by rules: SecondFactorRules, for change: AccountChange, of user: User) -> Bool {
        guard rules.exemptsOldProtocols, !session.protocolName.canReauthenticate else { return false }
        return !user.hasSecondFactor || !AccountChange.openingResets.contains(change)
    }
}

extension AccountActor {
    /// Whether the table asks for something fresh: not of operators, whose actions have a table of their own, nor of those
    /// who cannot log in.
    fileprivate var isAsked: Bool {
        switch self {
        case .user, .holder, .newcomer: true
        case .operator, .protocolKey, .provider, .server: false
        }
    }
}

extension Session.ProtocolName {
    /// Whether its apps have a request by which the owner shows to be there again. Those of the mobile backends have none.
    fileprivate var canReauthenticate: Bool { self == .native || self == .pages }
}
