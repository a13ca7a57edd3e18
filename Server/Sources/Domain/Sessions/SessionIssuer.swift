/// The one room in which sessions are made: token, lifetime by the rules of the protocol, the end of what the session
/// replaces, the times of log-in and the entry in the audit log. Drawn before the transaction, which may run twice.
package struct SessionIssuer: Sendable {
    /// How many sessions a user can have; a further one ends the oldest (requirement 17).
    package static let maximumSessionsPerUser = 100
    /// A device key's earlier sessions end with its next log-in, but not those this young: the processes of one app
    /// that start together would end each other's.
    package static let parallelLogIns: Duration = .seconds(600)

    private let request: Request
    private let id: Identifier<Session>
    private let token: Secret
    private var digest: SecretDigest { SessionToken.digest(ofNew: token, in: request.protocolName) }
    /// What the log-in, or its refusal, leaves in the audit log; `nil` when the request says that it leaves nothing.
    let entry: AuditDraft?
    /// Brings a user back that asked to be deleted; `nil` when that was not wished.
    private let restoration: ReadyChanges?
    private let now: Timestamp
    private let rules: SessionRules
    /// When the session ends at the latest: as its protocol says, or earlier when the client wishes so.
    private let expiresAt: Timestamp
    /// When the first token ends, where tokens are refreshed.
    private let tokenExpiresAt: Timestamp?

    package var application: Application { request.application }

    fileprivate init(
        _ request: Request, of profile: ProtocolProfile, audit: AuditTrail, randomness: any Randomness, now: Timestamp
    ) {
        self.request = request
        let application = request.application
        id = randomness.newIdentifier(at: now)
        token = SessionToken.new(profile.token, randomness, at: now)
        entry =
            switch request.record {
            case .nothing: nil
            case .logIn(_, let origin): audit.draft(.loggedIn, by: .unknown, in: application.id, from: origin)
            }
        restoration = request.restoringFrom.map {
            audit.ready(atLogIn: .restored, in: application.id, from: $0, at: now)
        }
        self.now = now
        rules = application.settings.sessionRules(of: profile)
        let latest = now + rules.lifetime
        let span = application.settings.foreignOptions(of: request.protocolName).refreshedTokenLifetime
        tokenExpiresAt = span.map { min(request.expiresAt ?? latest, now + $0) }
        expiresAt = span == nil ? min(request.expiresAt ?? latest, latest) : latest
    }

    /// Issues a session to a known user, or repeats the answer of the attempt that opened it before, with a new token.
    ///
    /// - Throws: `userDisabled`, `userDeleted`, `attemptReused`, `storageUnavailable`.
    package func issue(to user: User, in transaction: any Transaction) throws(DomainError) -> LogIn {
        var user = try AccountGate.admit(user, to: application, restoration: restoration, in: transaction)
        if let repeated = try repeated(for: user, in: transaction) { return repeated }
        if let installation = request.client.device.installation {
            try transaction.endSessions(of: user.id, installation: installation, in: application.id)
        }
        try transaction.endReplacedSessions(
            of: user.id, in: application.id, deviceKey: request.client.deviceKey,
            openedBefore: now - Self.parallelLogIns, maximum: Self.maximumSessionsPerUser - 1,
            within: rules.maximumPerUser.map { SessionProtocolLimit(name: request.protocolName, maximum: $0 - 1) })
        user.previousLogInAt = user.lastLogInAt
        user.lastLogInAt = now
        try transaction.updateLogInTimes(of: user)
        return try insert(for: user, isNew: false, in: transaction)
    }

    /// Issues the first session of a user that this transaction has stored; see `UserRegistration`.
    ///
    /// - Throws: `storageUnavailable`.
    func issue(toNew user: User, in transaction: any Transaction) throws(DomainError) -> LogIn {
        try insert(for: user, isNew: true, in: transaction)
    }

    /// Whether an earlier try of the attempt opened a session of the user.
    package func hasIssued(to user: User, in transaction: any Transaction) throws(DomainError) -> Bool {
        guard let attempt = request.attempt else { return false }
        return try transaction.session(attempt: attempt.digest, of: user.id, in: application.id) != nil
    }

    /// The answer of the attempt that opened a session of the user before, with a new token; `nil` when none did.
    ///
    /// - Throws: `attemptReused`, `storageUnavailable`.
    package func repeated(for user: User, in transaction: any Transaction) throws(DomainError) -> LogIn? {
        guard let attempt = request.attempt,
            let before = try transaction.session(attempt: attempt.digest, of: user.id, in: application.id)
        else { return nil }
        guard before.attempt.request == nil || before.attempt.request == attempt.request else { throw .attemptReused }
        try transaction.replaceToken(of: before.session, with: digest)
        return try logIn(
            isNew: before.attempt.isNew, user, previously: before.attempt.previousLogInAt, before.session,
            in: transaction)
    }

    /// Records that the log-in was refused.
    ///
    /// - Parameters:
    ///   - user: To whom it would have led; `nil` when that is nobody.
    ///   - method: The way of log-in.
    ///   - transaction: The one that refuses. It has to return.
    /// - Throws: `storageUnavailable`.
    func refuse(
        _ user: Identifier<User>?, by method: Session.LogInMethod, in transaction: any Transaction
    ) throws(DomainError) {
        try entry?.record(
            on: user.map { .user($0) }, result: .refused, details: ["method": method.rawValue], in: transaction)
    }

    private func insert(for user: User, isNew: Bool, in transaction: any Transaction) throws(DomainError) -> LogIn {
        let method = request.method
        var session = Session(
            id: id, application: application.id, user: user.id, client: request.client,
            protocolName: request.protocolName, method: method,
            times: .init(
                createdAt: now, lastUsedAt: now, expiresAt: expiresAt,
                authenticatedAt: method.provesPresence(of: user) ? now : nil))
        session.methods = request.methods
        let kept = request.attempt.map {
            SessionAttempt(
                digest: $0.digest, request: $0.request, isNew: isNew, previousLogInAt: user.previousLogInAt)
        }
        // The token of somebody whom nothing else leads to must not end.
        let end = user.isAnonymous ? nil : tokenExpiresAt
        let issued = end.map { SessionToken.limited(token, until: $0) } ?? token
        try transaction.insert(
            session, token: end == nil ? digest : SessionToken.digest(ofNew: issued, in: request.protocolName),
            attempt: kept)
        if let entry, case .logIn(let actor, _) = request.record {
            try entry.record(
                on: .user(user.id), by: actor ?? .user(user.id),
                details: ["method": method.rawValue, "session": id.rawValue], in: transaction)
        }
        var logIn = try logIn(isNew: isNew, user, previously: user.previousLogInAt, session, in: transaction)
        logIn.token = issued
        logIn.tokenExpiresAt = end
        return logIn
    }

    private func logIn(
        isNew: Bool, _ user: User, previously: Timestamp?, _ session: Session, in transaction: any Transaction
    ) throws(DomainError) -> LogIn {
        let transfers = isNew ? [] : try transaction.transfers(of: user.id, in: application.id)
        return LogIn(
            isNew: isNew, user: user, previousLogInAt: previously, session: session, token: token,
            idleLifetime: rules.idleLifetime,
            noticeCount: transfers.count { $0.isNews(to: session, of: user) },
            fieldRules: application.settings.fieldRules)
    }
}

/// Makes issuers of sessions, by the profiles of their protocols.
package struct SessionIssuers: Sendable {
    let protocols: ProtocolRegistry
    let audit: AuditTrail
    let randomness: any Randomness

    /// What issues the session that a request asks for; it draws all that is random.
    func issuer(for request: SessionIssuer.Request, at now: Timestamp) -> SessionIssuer {
        SessionIssuer(request, of: protocols[request.protocolName], audit: audit, randomness: randomness, now: now)
    }
}

extension SessionIssuers {
    init(_ world: DomainWorld, audit: AuditTrail) {
        self.init(protocols: world.services.protocols, audit: audit, randomness: world.randomness)
    }
}
