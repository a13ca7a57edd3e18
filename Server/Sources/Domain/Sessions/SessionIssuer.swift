/// The one type that makes sessions: token, lifetime by the rules of the protocol, the end of what the session
/// replaces, the times of log-in and the entry in the audit log. Drawn before the transaction, which may run twice.
package struct SessionIssuer: Sendable {
    /// How many sessions a user can have; a further one ends the oldest (requirement 17).
    package static let maximumSessionsPerUser = 100
    /// A device key's earlier sessions end with its next log-in, but not those this young: the processes of one app
    /// that start together would end each other's.
    package static let parallelLogIns: Duration = .seconds(600)

    private let request: Request
    private let id: Identifier<Session>
    private let draw: SessionToken.Draw
    /// What the log-in, or its refusal, leaves in the audit log; `nil` when the request says that it leaves nothing.
    let entry: AuditDraft?
    /// Brings a user back that asked to be deleted; `nil` when that was not wished.
    private let restoration: ReadyChanges?
    private let tickets: SecondFactorTickets
    private let now: Timestamp
    private let rules: SessionRules
    /// When the session ends at the latest: as its protocol says, or earlier when the client wishes so.
    private let expiresAt: Timestamp
    /// When the first token ends, where tokens are refreshed.
    private let tokenExpiresAt: Timestamp?

    /// When the person logged in at the provider, where that was earlier and the session has to say it.
    var provenAt: Timestamp?
    /// The identity that the log-in shows; `nil` for a way without one.
    private var identity: Identity.Name?

    package var application: Application { request.application }

    fileprivate init(
        _ request: Request, of profile: ProtocolProfile, changes: AccountChanges, randomness: any Randomness,
        tickets: SecondFactorTickets, now: Timestamp
    ) {
        self.request = request
        self.tickets = tickets
        let application = request.application
        id = randomness.newIdentifier(at: now)
        draw = SessionToken.Draw(profile.token, randomness)
        entry =
            switch request.record {
            case .nothing: nil
            case .logIn(_, let origin): changes.audit.draft(.loggedIn, by: .unknown, in: application.id, from: origin)
            }
        restoration = request.restoringFrom.map {
            changes.drawingMail(
                for: changes.audit.ready(atLogIn: .restored, in: application.id, from: $0, at: now))
        }
        self.now = now
        rules = application.settings.sessionRules(of: profile)
        let latest = now + rules.lifetime
        let span = application.settings.foreignOptions(of: request.protocolName).refreshedTokenLifetime
        tokenExpiresAt = span.map { min(request.expiresAt ?? latest, now + $0) }
        expiresAt = span == nil ? min(request.expiresAt ?? latest, latest) : latest
    }

    /// The same issuer for a log-in that shows an identity: what lacks the second factor can be finished only while that one leads
    /// to the user.
    func showing(_ provider: Identity.Provider, _ subject: String) -> SessionIssuer {
        var issuer = self
        issuer.identity = Identity.Name(provider: provider, subject: subject)
        return issuer
    }

    /// Issues a session to a known user, or repeats the answer of the attempt that opened it before, with a new token.
    ///
    /// - Throws: `userDisabled`, `userDeleted`, `attemptReused`, `rateLimited`, `secondFactorRequired`, `secondFactorEnrolmentRequired`,
    ///   `storageUnavailable`.
    package func issue(to user: User, in transaction: any Transaction) throws(DomainError) -> LogIn {
        try issue(to: user, joining: nil, in: transaction).get()
    }

    /// The same for ways of log-in whose credential counts once.
    ///
    /// - Parameters:
    ///   - user: Who showed it, before the device's key joins: a new key is no second factor.
    ///   - link: The key that joins with the log-in.
    ///   - transaction: The one that takes the credential. It has to return, so that the credential stays used.
    ///   - prepare: What is done with the user who is let in, before the session is there.
    /// - Returns: a second factor that is missing as a value.
    /// - Throws: `userDisabled`, `userDeleted`, `attemptReused`, `storageUnavailable`.
    func issue(
        to user: User, joining link: DeviceLink?, in transaction: any Transaction,
        prepare: (inout User) throws(DomainError) -> Void = { _ in }
    ) throws(DomainError) -> Result<LogIn, DomainError> {
        try refuseBlocked(user)
        if let missing = try missing(of: user) {
            let isKeyTaken = try link?.leadsElsewhere(than: user, in: transaction) ?? false
            return .failure(isKeyTaken ? missing.withTakenKey : missing)
        }
        var joined = try link?.joined(to: user, in: transaction) ?? user
        try prepare(&joined)
        if request.methods.areTwoFactors, let link {
            joined = try link.noteSecondFactor(of: joined, in: transaction)
        }
        return .success(
            try open(for: joined, isRemembered: isRemembered(user), secondFactorAt: nil, in: transaction))
    }

    /// Issues a session that goes on from one that the user has, or to whom an operator lets in.
    ///
    /// - Throws: `userDisabled`, `userDeleted`, `attemptReused`, `storageUnavailable`.
    package func reissue(to user: User, in transaction: any Transaction) throws(DomainError) -> LogIn {
        try open(for: user, secondFactorAt: nil, in: transaction)
    }

    /// Repeats the answer of an attempt whose credential has counted already. A second factor that the user has added since is
    /// asked for as at any log-in.
    ///
    /// - Throws: `userDisabled`, `userDeleted`, `attemptReused`, `secondFactorRequired`, `storageUnavailable`.
    func reissue(repeatingFor user: User, in transaction: any Transaction) throws(DomainError) -> LogIn {
        if user.hasSecondFactor { try refuseMissing(of: user) }
        return try reissue(to: user, in: transaction)
    }

    /// Issues a session to a user who has shown the second factor in this transaction.
    ///
    /// - Throws: `userDisabled`, `userDeleted`, `storageUnavailable`.
    func issue(toProven user: User, in transaction: any Transaction) throws(DomainError) -> LogIn {
        try open(for: user, secondFactorAt: now, in: transaction)
    }

    /// - Throws: `userDisabled`, `userDeleted`.
    func refuseBlocked(_ user: User) throws(DomainError) {
        try AccountGate.refuse(user, of: application, isRestored: restoration != nil)
    }

    private func open(
        for user: User, isRemembered: Bool = false, secondFactorAt: Timestamp?, in transaction: any Transaction
    ) throws(DomainError) -> LogIn {
        var user = try AccountGate.admit(user, to: application, restoration: restoration, in: transaction)
        if let repeated = try repeated(for: user, in: transaction) { return repeated }
        if let installation = request.client.device.installation {
            try transaction.endSessions(of: user.id, installation: installation, in: application.id)
        }
        user.previousLogInAt = user.lastLogInAt
        user.lastLogInAt = now
        try transaction.updateLogInTimes(of: user)
        return try insert(
            for: user, isNew: false, isRemembered: isRemembered, secondFactorAt: secondFactorAt,
            replacing: SessionReplacement(
                openedBefore: now - Self.parallelLogIns, maximum: Self.maximumSessionsPerUser - 1,
                within: rules.maximumPerUser.map { SessionProtocolLimit(name: request.protocolName, maximum: $0 - 1) }),
            in: transaction)
    }

    /// Issues the first session of a user that this transaction has stored; see `UserRegistration`.
    ///
    /// - Throws: `storageUnavailable`.
    func issue(toNew user: User, in transaction: any Transaction) throws(DomainError) -> LogIn {
        try insert(for: user, isNew: true, secondFactorAt: nil, replacing: nil, in: transaction)
    }

    /// Whether an earlier try of the attempt opened a session of the user.
    ///
    /// - Throws: `storageUnavailable`.
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
        let token = draw.token(of: user.id)
        try transaction.replaceToken(
            of: before.session,
            with: SessionToken.reference(ofNew: token, for: user.id, in: request.protocolName))
        return try logIn(
            isNew: before.attempt.isNew, user, previously: before.attempt.previousLogInAt, before.session, token,
            in: transaction)
    }

    /// Records that the log-in was refused.
    ///
    /// - Parameters:
    ///   - user: To whom it would have led; `nil` when that is nobody.
    ///   - method: The way of log-in.
    ///   - transaction: The one that refuses. It has to return.
    /// - Throws: `rateLimited` when there were too many, `storageUnavailable`.
    func refuse(
        _ user: Identifier<User>?, by method: Session.LogInMethod, in transaction: any Transaction
    ) throws(DomainError) {
        if !UserTrace.limitedRefusals.contains(method) {
            try entry?.count(.entry, of: user.map { AuditEntry.Actor.user($0) } ?? .unknown, in: transaction)
        }
        try entry?.record(
            on: user.map { .user($0) }, result: .refused, details: ["method": method.rawValue], in: transaction)
    }

    private func insert(
        for user: User, isNew: Bool, isRemembered: Bool = false, secondFactorAt: Timestamp?,
        replacing: SessionReplacement?, in transaction: any Transaction
    ) throws(DomainError) -> LogIn {
        let method = request.method
        var session = Session(
            id: id, application: application.id, user: user.id, client: request.client,
            protocolName: request.protocolName, method: method,
            times: .init(
                createdAt: now, lastUsedAt: now, expiresAt: expiresAt,
                authenticatedAt: method.provesPresence(of: user) ? provenAt ?? now : nil))
        session.methods = request.methods
        if isRemembered { session.methods.insert(.rememberedDevice) }
        session.secondFactorAt = secondFactorAt ?? (request.methods.areTwoFactors ? now : nil)
        request.source?.carryProof(to: &session)
        if request.endsWithSource { request.source?.bind(&session) }
        let kept = request.attempt.map {
            SessionAttempt(
                digest: $0.digest, request: $0.request, isNew: isNew, previousLogInAt: user.previousLogInAt)
        }
        // The token of somebody whom nothing else leads to must not end.
        let end = user.isAnonymous ? nil : tokenExpiresAt
        let token = draw.token(of: user.id)
        let issued = end.map { SessionToken.limited(token, until: $0) } ?? token
        try transaction.insert(
            session, token: SessionToken.reference(ofNew: issued, for: user.id, in: request.protocolName),
            attempt: kept,
            replacing: replacing)
        if let entry, case .logIn(let actor, _) = request.record {
            let details = ["method": method.rawValue, "session": id.rawValue]
            // A password costs its hash, and apps may share an account; a new user has cost a registration.
            if method != .password, !isNew { try entry.count(.entry, of: .user(user.id), in: transaction) }
            try entry.record(
                on: .user(user.id), by: actor ?? .user(user.id), details: details, in: transaction)
            if application.settings.events.isRecorded {
                try transaction.insert(entry.event(.loggedIn, of: user.id, details: details))
            }
        }
        var logIn = try logIn(isNew: isNew, user, previously: user.previousLogInAt, session, issued, in: transaction)
        logIn.tokenExpiresAt = end
        return logIn
    }

    private func logIn(
        isNew: Bool, _ user: User, previously: Timestamp?, _ session: Session, _ token: Secret,
        in transaction: any Transaction
    ) throws(DomainError) -> LogIn {
        let transfers = isNew ? [] : try transaction.transfers(of: user.id, in: application.id)
        var logIn = LogIn(
            isNew: isNew, user: user, previousLogInAt: previously, session: session, token: token,
            idleLifetime: rules.idleLifetime,
            noticeCount: transfers.count { $0.isNews(to: session, of: user) },
            fieldRules: application.settings.fieldRules)
        logIn.accessRules = application.settings.access
        return logIn
    }
}

extension SessionIssuer {
    /// What a log-in still needs beside what it has shown; `nil` for nothing.
    ///
    /// - Throws: `secretUnreadable`, should the cryptographic library fail.
    private func missing(of user: User) throws(DomainError) -> DomainError? {
        let rules = application.settings.secondFactors
        guard let need = rules.need(of: user), !request.methods.areTwoFactors, !isExempt(user, from: need, by: rules)
        else { return nil }
        let challenge = try challenge(of: user, need)
        return need == .factor ? .secondFactorRequired(challenge) : .secondFactorEnrolmentRequired(challenge)
    }

    /// Refuses a log-in that cannot ask for the second factor that it lacks.
    ///
    /// - Throws: `secondFactorRequired`, `secondFactorEnrolmentRequired`.
    func refuseMissing(of user: User) throws(DomainError) {
        if let missing = try missing(of: user) { throw missing }
    }

    private func isExempt(_ user: User, from need: SecondFactorRules.Need, by rules: SecondFactorRules) -> Bool {
        switch request.method {
        // Nobody is there who could add one.
        case .automatic, .anonymous, .adoption:
            if need == .enrolment { return true }
        case .transferCode: return rules.transferCodesCount
        // The key of the session that merges may have joined a moment ago.
        case .merge: return false
        default: break
        }
        guard request.protocolName == .native || request.protocolName == .pages else {
            return rules.exemptsOldProtocols
        }
        return need == .factor && isRemembered(user)
    }

    /// Whether the device's key counts as the user's second factor: the device has passed it, or, where the application
    /// says so, its key led to the user before there was one. A key that joined later may be a thief's.
    private func isRemembered(_ user: User) -> Bool {
        let rules = application.settings.secondFactors
        guard rules.need(of: user) == .factor, let enrolledAt = user.secondFactorAt, let key = request.client.deviceKey,
            let device = user.identities.first(where: { $0.provider == .device && $0.subject == key })
        else { return false }
        return device.secondFactorAt != nil || rules.deviceKeysCount && device.linkedAt <= enrolledAt
    }

    /// What finishes the log-in, where its protocol and its way can ask for it.
    private func challenge(
        of user: User, _ need: SecondFactorRules.Need
    ) throws(DomainError) -> SecondFactorChallenge? {
        guard request.protocolName == .native || request.protocolName == .pages, request.method != .merge,
            request.method != .transferCode
        else { return nil }
        // Who has to add a factor may have to install an app first.
        let end = now + (need == .enrolment ? TOTPEnrolment.lifetime : SecondFactorTicket.lifetime)
        var ticket = SecondFactorTicket(
            user: user.id.rawValue, version: user.credentialsVersion, method: request.method.rawValue,
            methods: request.methods.rawValue, deviceKey: request.client.deviceKey, isEnrolment: need == .enrolment,
            expiresAt: end.milliseconds)
        ticket.identity = identity.map { SecondFactorTicket.digest(of: $0) }
        ticket.provenAt = provenAt?.milliseconds
        return SecondFactorChallenge(
            ticket: try tickets.seal(ticket, in: application.id),
            factors: need == .factor ? SecondFactorChallenge.Factor.allCases : [], expiresAt: end,
            hasPasskey: user.identities.contains { $0.provider == .passkey })
    }
}

extension DomainError {
    /// The same, which says that the key of the log-in is somebody else's, where the log-in can go on at all.
    fileprivate var withTakenKey: DomainError {
        guard case .secondFactor(var challenge) = detail else { return self }
        challenge.isKeyTaken = true
        return DomainError(kind, code, .secondFactor(challenge))
    }
}

extension Session.LogInMethod {
    /// An id that a client made up.
    static let anonymous = Session.LogInMethod(rawValue: Identity.Provider.anonymous.rawValue)
}

/// Makes issuers of sessions, by the profiles of their protocols.
package struct SessionIssuers: Sendable {
    let protocols: ProtocolRegistry
    let changes: AccountChanges
    let randomness: any Randomness
    let tickets: SecondFactorTickets

    var audit: AuditTrail { changes.audit }

    /// What issues the session that a request asks for; it draws all that is random.
    func issuer(for request: SessionIssuer.Request, at now: Timestamp) -> SessionIssuer {
        SessionIssuer(
            request, of: protocols[request.protocolName], changes: changes, randomness: randomness, tickets: tickets,
            now: now)
    }
}

extension SessionIssuers {
    init(_ world: DomainWorld, changes: AccountChanges) {
        self.init(
            protocols: world.services.protocols, changes: changes, randomness: world.randomness,
            tickets: SecondFactorTickets(sealingKey: world.sealingKey))
    }
}
