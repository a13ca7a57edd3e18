/// What a session takes over from the one that it comes from. Nobody shows anything on the way: the new session proves what
/// the other one did, at the time when it did. By a ticket or a code of the pages, in which this is sealed, it ends with it
/// too (decision 0170).
struct SessionSource: Codable, Hashable, Sendable {
    /// The id of that session. A ticket or a code of one that has ended is void.
    private let session: String
    /// See `Session.origin`.
    let origin: String
    /// Whether the session came from another one itself, and its owner has shown nothing since it is there.
    let isDerived: Bool
    /// When the session's owner last proved to be there, in milliseconds since 1970; `nil` when never.
    let authenticatedAt: Int64?
    /// When the session last showed the second factor, in milliseconds since 1970; `nil` when never.
    let secondFactorAt: Int64?
    /// `AuthenticationMethods`, of what the owner showed.
    private let methodBits: Int64
    /// By which way that session was opened, or shown to be its owner's; none in what was sealed before it was written.
    private let openedBy: String?

    /// - Parameters:
    ///   - who: Whose session the next one comes from.
    ///   - shownAt: When the owner has shown to be there with the request itself; `nil` when it has shown nothing, and the
    ///     session's own time counts.
    init(_ who: Authenticated, shownAt: Timestamp? = nil) {
        let session = who.session
        self.session = session.id.rawValue
        let isOfOwnKey = session.isOfKey(of: who.user)
        // A key that leads to the user is what can be removed; before it, what came first counts.
        let key = isOfOwnKey ? session.deviceKey : session.origin ?? session.deviceKey
        origin = key ?? session.id.rawValue
        isDerived = session.origin != nil && (session.authenticatedAt ?? session.createdAt) <= session.createdAt
        authenticatedAt = (shownAt ?? session.authenticatedAt)?.milliseconds
        secondFactorAt = session.secondFactorAt?.milliseconds
        // That a device is remembered says nothing of another device.
        methodBits = session.methods.subtracting(.rememberedDevice).rawValue
        // What a passkey has shown since goes with the passkey, whatever opened the session.
        openedBy = (session.methods.contains(.passkey) ? .passkey : session.method).rawValue
    }

    var methods: AuthenticationMethods { AuthenticationMethods(rawValue: methodBits) }
    var method: Session.LogInMethod { openedBy.map(Session.LogInMethod.init(rawValue:)) ?? .pages }

    /// Whether the session has not ended: what ended it would not find what is opened now.
    ///
    /// - Throws: `storageUnavailable`.
    func isOpen(of user: User, in transaction: any Transaction) throws(DomainError) -> Bool {
        try transaction.hasSession(Identifier(rawValue: session), of: user.id, in: user.application)
    }

    /// Whether the owner proved to be there within the last ten minutes.
    func isFresh(at now: Timestamp) -> Bool {
        Session.counts(authenticatedAt.map { Timestamp(milliseconds: $0) }, at: now)
    }

    /// Whether the second factor was shown within the last ten minutes.
    func hasRecentSecondFactor(at now: Timestamp) -> Bool {
        Session.counts(secondFactorAt.map { Timestamp(milliseconds: $0) }, at: now)
    }

    /// Lets a session that is about to be stored end with this one.
    func bind(_ session: inout Session) {
        session.origin = origin
        session.parent = Identifier(rawValue: self.session)
    }

    /// Writes what was proved into a session that is about to be stored. By a clock that is behind, what was shown before would
    /// be later than the session, which would look as if its owner had shown something since.
    func carryProof(to session: inout Session) {
        let latest = session.createdAt.milliseconds
        session.authenticatedAt = authenticatedAt.map { Timestamp(milliseconds: min($0, latest)) }
        session.secondFactorAt = secondFactorAt.map { Timestamp(milliseconds: min($0, latest)) }
    }
}

extension SessionIssuer.Request {
    /// The same session, which proves what another one does, and lives on without it.
    ///
    /// - Parameters:
    ///   - source: What it takes over.
    ///   - now: What was proved within ten minutes before counts; later, the session says that nobody was asked.
    /// - Returns: the request.
    func proven(by source: SessionSource, at now: Timestamp) -> Self {
        var request = proven(by: source.isFresh(at: now) ? source.methods : [])
        request.source = source
        return request
    }

    /// The same session, which comes from another one, and ends with it.
    ///
    /// - Parameters:
    ///   - source: What it takes over.
    ///   - now: As in `proven(by:at:)`.
    /// - Returns: the request.
    func derived(from source: SessionSource, at now: Timestamp) -> Self {
        var request = proven(by: source, at: now)
        request.endsWithSource = true
        return request
    }
}
