extension SessionIssuer {
    /// The session that somebody asks for.
    package struct Request: Sendable {
        package let application: Application
        package let protocolName: Session.ProtocolName
        package let method: Session.LogInMethod
        /// What the log-in proves, where the way of log-in alone does not say it; see `proven(by:)`.
        package private(set) var methods: AuthenticationMethods
        /// What it takes over from another session; see `proven(by:at:)` and `derived(from:at:)`.
        var source: SessionSource?
        /// Whether it ends with that session.
        var endsWithSource = false
        package let client: Client
        /// Names one attempt, so that its repetition answers what the first try answered.
        package let attempt: Attempt?
        /// An earlier end of the session than its protocol's.
        package let expiresAt: Timestamp?
        package let record: Record
        /// Set to bring a user back that asked to be deleted.
        package let restoringFrom: RequestOrigin?

        package init(
            _ application: Application, _ protocolName: Session.ProtocolName, by method: Session.LogInMethod,
            on client: Client, attempt: Attempt? = nil, expiresAt: Timestamp? = nil, record: Record,
            restoringFrom: RequestOrigin? = nil
        ) {
            self.application = application
            self.protocolName = protocolName
            self.method = method
            methods = method.methods
            self.client = client
            self.attempt = attempt
            self.expiresAt = expiresAt
            self.record = record
            self.restoringFrom = restoringFrom
        }

        /// The same session, of an owner who proved more, or other, than the way of log-in says.
        package func proven(by methods: AuthenticationMethods) -> Request {
            var request = self
            request.methods = methods
            return request
        }
    }

    /// Who holds the session.
    package struct Client: Sendable {
        /// The thumbprint of the key that the session is bound to.
        package var deviceKey: String?
        package var device: DeviceDescription
        package var address: String?

        package init(deviceKey: String? = nil, device: DeviceDescription = DeviceDescription(), address: String?) {
            self.deviceKey = deviceKey
            self.device = device
            self.address = address
        }
    }

    /// What the log-in leaves in the audit log.
    package enum Record: Sendable {
        /// Nothing: the session of an automatic log-in is its own record, and a log-in that is part of another action has
        /// that action's entry.
        case nothing
        /// An entry, by an actor or, without one, by the user who logs in.
        case logIn(by: AuditEntry.Actor? = nil, from: RequestOrigin)
    }
}

/// A session that another service opened, and whose token goes on counting here. It is no log-in: nothing is replaced,
/// and the user's times of log-in stay.
struct MovedSession: Sendable {
    let session: Session
    let token: SecretDigest

    /// Takes over a session as another service kept it.
    ///
    /// - Parameters:
    ///   - imported: The record.
    ///   - randomness: Names the session.
    ///   - now: The session counts as used now: the time of its last use did not come along.
    init(_ imported: ImportedSession, randomness: any Randomness, at now: Timestamp) {
        var session = Session(
            id: randomness.newIdentifier(at: imported.createdAt), application: imported.application,
            user: imported.user, client: .init(device: imported.device, address: nil),
            protocolName: imported.protocolName, method: imported.method,
            times: .init(
                createdAt: imported.createdAt, lastUsedAt: now,
                expiresAt: imported.expiresAt ?? now + SessionRules.endless))
        (session.fields, session.updatedAt) = (imported.fields, imported.updatedAt)
        self.session = session
        token = imported.token.digest
    }

    /// Takes over a token of which nothing else is known; `nil` for a text that is no token.
    ///
    /// - Parameters:
    ///   - token: What the app holds.
    ///   - name: Whose form it has.
    ///   - rules: How long sessions of that protocol live.
    ///   - user: Whose it is.
    ///   - randomness: Names the session.
    ///   - now: The session counts as opened now.
    init?(
        _ token: Secret, of name: Session.ProtocolName, _ rules: SessionRules, for user: User,
        randomness: any Randomness, at now: Timestamp
    ) {
        guard let digest = SessionToken.digest(of: token.revealed, in: name) else { return nil }
        session = Session(
            id: randomness.newIdentifier(at: now), application: user.application, user: user.id,
            client: .init(address: nil), protocolName: name, method: .importing,
            times: .init(
                createdAt: now, lastUsedAt: now, expiresAt: now + rules.lifetime))
        self.token = digest
    }

    init(_ exported: ExportedSession) { (session, token) = (exported.session, exported.token) }

    /// Whether the token leads to a session of any user, or did after an import before: what has ended since stays ended
    /// (decision 0159).
    ///
    /// - Throws: `storageUnavailable`.
    func isPresent(in transaction: any Transaction) throws(DomainError) -> Bool {
        if try transaction.wasImported(token, in: session.application) { return true }
        return try transaction.session(token: SessionToken.Reference(token), in: session.application) != nil
    }

    /// Stores the session unless it is present. The user's oldest end beyond the number that log-ins leave: other services have no
    /// bound, and a user's sessions are read together.
    ///
    /// - Throws: `storageUnavailable`.
    func store(in transaction: any Transaction) throws(DomainError) {
        guard try !isPresent(in: transaction) else { return }
        // No session is as old as that: none is replaced for its device.
        let limit = SessionReplacement(
            openedBefore: Timestamp(milliseconds: 0), maximum: SessionIssuer.maximumSessionsPerUser - 1)
        try transaction.insert(
            session, token: SessionToken.Reference(token), attempt: nil, replacing: limit)
        try transaction.noteImported(token, in: session.application)
    }
}

extension User {
    /// Whether sessions of the old service still count for the user: one who has ended all here, or has another password, is
    /// not to be entered by an old token (decision 0127), unless nothing else leads to the account.
    var takesMovedSessions: Bool { credentialsVersion == 0 || isOutOfReach }

    /// The longest time between the making of an id and that of its user.
    private static let slack: Duration = .seconds(3600)

    /// Whether this server made the user, and no import: the id begins with the moment of its making, which is the user's.
    var wasMadeHere: Bool {
        guard let made = id.instant ?? id.dashedInstant else { return false }
        return made <= createdAt + Self.slack && createdAt <= made + Self.slack
    }
}

extension Transaction {
    /// Whether another service can have no sessions of a user, who was made here: what its file says of such a one, somebody has
    /// written into it.
    ///
    /// - Throws: `storageUnavailable`.
    func isUnknownElsewhere(_ user: User) throws(DomainError) -> Bool {
        guard user.wasMadeHere else { return false }
        // An export of this server has users with such ids too.
        return try importTime(of: user.id, in: user.application) == nil
    }
}
