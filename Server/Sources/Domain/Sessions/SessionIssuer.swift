/// Everything that opening a session needs, drawn before the transaction, which may run twice. All ways of log-in end here.
package struct SessionIssuer: Sendable {
    /// How many sessions a user can have; a further one ends the oldest (requirement 17).
    package static let maximumSessionsPerUser = 100
    /// A device key's earlier sessions end with its next log-in, but not those this young: the processes of one app
    /// that start together would end each other's.
    package static let parallelLogIns: Duration = .seconds(600)

    package let application: Application
    private let id: Identifier<Session>
    private let token: Secret
    private var digest: SecretDigest { SessionToken.digest(ofNew: token, in: protocolName) }
    private let deviceKey: String?
    private let device: DeviceDescription
    private let address: String?
    private let protocolName: Session.ProtocolName
    private let method: Session.LogInMethod
    private let attempt: Attempt?
    /// What the log-in leaves in the audit log; `nil` for automatic ones, and for those that are part of another deed.
    private let entry: AuditDraft?
    /// Brings a user back that asked to be deleted; `nil` when that was not wished.
    private let restoration: AuditDraft?
    private let now: Timestamp
    private let rules: SessionRules
    /// When the session ends at the latest: as its protocol says, or earlier when the client wishes so.
    private let expiresAt: Timestamp
    /// When the first token ends, where tokens are refreshed.
    private let tokenExpiresAt: Timestamp?

    package init(
        application: Application, deviceKey: String?, device: DeviceDescription, address: String?,
        protocolName: Session.ProtocolName, method: Session.LogInMethod, attempt: Attempt?,
        entry: AuditDraft? = nil, restoration: AuditDraft? = nil, expiresAt: Timestamp? = nil,
        randomness: any Randomness, now: Timestamp
    ) {
        self.application = application
        id = randomness.newIdentifier(at: now)
        token = SessionToken.new(randomness, at: now, for: protocolName)
        self.deviceKey = deviceKey
        self.device = device
        self.address = address
        self.protocolName = protocolName
        self.method = method
        self.attempt = attempt
        self.entry = entry
        self.restoration = restoration
        self.now = now
        rules = application.settings.sessionRules(of: protocolName)
        let latest = now + rules.lifetime
        let span = application.settings.foreignOptions(of: protocolName).refreshedTokenLifetime
        tokenExpiresAt = span.map { min(expiresAt ?? latest, now + $0) }
        self.expiresAt = span == nil ? min(expiresAt ?? latest, latest) : latest
    }

    /// Opens the session of a known user, or repeats the answer of the attempt that opened it before, with a new token.
    ///
    /// - Throws: `userDisabled`, `userDeleted`, `attemptReused`, `storageUnavailable`.
    package func open(for user: User, in transaction: any Transaction) throws(DomainError) -> LogIn {
        var user = try transaction.admitted(user, restoration: restoration, in: application)
        if let repeated = try repeated(for: user, in: transaction) { return repeated }
        if let installation = device.installation {
            try transaction.endSessions(of: user.id, installation: installation, in: application.id)
        }
        try transaction.endReplacedSessions(
            of: user.id, in: application.id, deviceKey: deviceKey, openedBefore: now - Self.parallelLogIns,
            maximum: Self.maximumSessionsPerUser - 1,
            within: rules.maximumPerUser.map { SessionProtocolLimit(name: protocolName, maximum: $0 - 1) })
        user.previousLogInAt = user.lastLogInAt
        user.lastLogInAt = now
        try transaction.updateLogInTimes(of: user)
        return try insert(for: user, isNew: false, in: transaction)
    }

    /// Whether an earlier try of the attempt opened a session of the user.
    package func hasOpened(for user: User, in transaction: any Transaction) throws(DomainError) -> Bool {
        guard let attempt else { return false }
        return try transaction.session(attempt: attempt.digest, of: user.id, in: application.id) != nil
    }

    /// The answer of the attempt that opened a session of the user before, with a new token; `nil` when none did.
    ///
    /// - Throws: `attemptReused`, `storageUnavailable`.
    package func repeated(for user: User, in transaction: any Transaction) throws(DomainError) -> LogIn? {
        guard let attempt,
            let before = try transaction.session(attempt: attempt.digest, of: user.id, in: application.id)
        else { return nil }
        guard before.attempt.request == nil || before.attempt.request == attempt.request else { throw .attemptReused }
        try transaction.replaceToken(of: before.session, with: digest)
        return try logIn(
            isNew: before.attempt.isNew, user, previously: before.attempt.previousLogInAt, before.session,
            in: transaction)
    }

    /// Makes a new user, with the defaults of its fields, and opens its first session.
    ///
    /// - Throws: `fieldsRefused`, `storageUnavailable`.
    package func open(
        forNew user: User, by actor: FieldActor = .owner, in transaction: any Transaction
    ) throws(DomainError) -> LogIn {
        var user = try application.settings.fieldRules.registered(user, by: actor)
        user.lastLogInAt = now
        try transaction.insert(user)
        if !user.typedIdentifiers.isEmpty { try transaction.updateIdentifiers(of: user) }
        for identity in user.identities { try transaction.insert(identity, for: user.id, in: application.id) }
        return try insert(for: user, isNew: true, in: transaction)
    }

    private func insert(for user: User, isNew: Bool, in transaction: any Transaction) throws(DomainError) -> LogIn {
        let session = Session(
            id: id, application: application.id, user: user.id, deviceKey: deviceKey, device: device, address: address,
            protocolName: protocolName, method: method, createdAt: now, lastUsedAt: now,
            expiresAt: expiresAt,
            authenticatedAt: method.provesPresence(of: user) ? now : nil)
        let kept = attempt.map {
            SessionAttempt(
                digest: $0.digest, request: $0.request, isNew: isNew, previousLogInAt: user.previousLogInAt)
        }
        // The token of somebody whom nothing else leads to must not end.
        let end = user.isAnonymous ? nil : tokenExpiresAt
        let issued = end.map { SessionToken.limited(token, until: $0) } ?? token
        try transaction.insert(
            session, token: end == nil ? digest : SessionToken.digest(ofNew: issued, in: protocolName), attempt: kept)
        try entry?.record(
            on: .user(user.id), by: .user(user.id), details: ["method": method.rawValue, "session": id.rawValue],
            in: transaction)
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
