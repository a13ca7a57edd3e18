/// What sessions need of storage.
package protocol SessionQueries {
    // MARK: Sessions

    /// A session and its user by the token, whether or not it has expired.
    func session(
        token: SessionToken.Reference, in application: Identifier<Application>
    ) throws(DomainError) -> (session: Session, user: User)?
    /// A user's sessions, newest first.
    func sessions(of user: Identifier<User>, in application: Identifier<Application>) throws(DomainError) -> [Session]
    /// A user's sessions with the digests of their tokens, newest first.
    func sessionsWithTokens(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> [ExportedSession]
    /// The sessions of a protocol in the order in which they were opened, for operators, and how many there are.
    func sessions(
        in application: Identifier<Application>, openedBy protocolName: Session.ProtocolName, newestFirst: Bool,
        skip: Int, limit: Int
    ) throws(DomainError) -> (sessions: [Session], count: Int)
    /// Whose session it is, for operators; `nil` when there is none. One of Okaeri's own is looked for among all: ask beside the
    /// writer, and name the protocol where it is another one.
    func owner(
        of session: Identifier<Session>, in application: Identifier<Application>,
        openedBy protocolName: Session.ProtocolName?
    ) throws(DomainError) -> Identifier<User>?
    /// Stores a session, and ends what it replaces: a device's session takes the slot of its last one.
    func insert(
        _ session: Session, token: SessionToken.Reference, attempt: SessionAttempt?, replacing: SessionReplacement?
    ) throws(DomainError)
    /// The session that an attempt opened before, with what it answered.
    func session(
        attempt: SecretDigest, of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> (session: Session, attempt: SessionAttempt)?
    /// Writes the custom fields, the end and `updatedAt`.
    func updateObject(of session: Session) throws(DomainError)
    func replaceToken(of session: Session, with token: SessionToken.Reference) throws(DomainError)
    /// Lets another token lead to a session, and remembers how it was made in place of what was remembered before.
    func refreshToken(
        of session: Session, with token: SessionToken.Reference, after refresh: TokenRefresh
    ) throws(DomainError)
    /// A session whose present token a refresh of a former one made, and its user, whether or not it has expired.
    func session(
        refreshedFrom former: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) -> (session: Session, user: User, refresh: TokenRefresh)?
    /// Ends one session of a user, and those that came from it, at whatever remove, or from its device key; `false` when there is none.
    func endSession(
        _ id: Identifier<Session>, of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> Bool
    /// Ends a user's sessions that some device keys opened, and those that came from them, at whatever remove; the number that
    /// ended.
    func endSessions(
        of user: Identifier<User>, in application: Identifier<Application>, deviceKeys: Set<String>
    ) throws(DomainError) -> Int
    /// Lets what came from one session of a user go on as if it had come from another one.
    func reparentSessions(
        from old: Identifier<Session>, to new: Identifier<Session>, of user: Identifier<User>,
        in application: Identifier<Application>
    ) throws(DomainError)
    /// Ends all of a user's sessions, or all but one; the number that ended.
    func endSessions(
        of user: Identifier<User>, in application: Identifier<Application>, except kept: Identifier<Session>?
    ) throws(DomainError) -> Int
    /// Ends a user's sessions that one way of log-in opened, with those that came from them, or all of them but one; the number
    /// that ended.
    func endSessions(
        of user: Identifier<User>, openedBy method: Session.LogInMethod, in application: Identifier<Application>,
        except kept: Identifier<Session>?
    ) throws(DomainError) -> Int
    /// Ends a user's sessions in which something was shown since they were opened, with those that came from them, or all of them but
    /// one; the number that ended.
    func endSessions(
        of user: Identifier<User>, showing methods: AuthenticationMethods, in application: Identifier<Application>,
        except kept: Identifier<Session>?
    ) throws(DomainError) -> Int
    /// Ends a user's sessions of one installation of an app.
    func endSessions(
        of user: Identifier<User>, installation: String, in application: Identifier<Application>
    ) throws(DomainError)
    /// Writes `authenticatedAt`, `methods` and `secondFactorAt`, and lets another token lead to the session (requirement 16).
    func updateAuthentication(of session: Session, token: SessionToken.Reference) throws(DomainError)
    /// Writes when and from where sessions were last used, but for those of which a later use is known.
    func noteUse(_ uses: [SessionTouch]) throws(DomainError)
    /// Writes on which day users were there, for lists and statistics.
    func noteDays(_ presences: [UserPresence]) throws(DomainError)
    /// Looks at `limit` sessions in the order of their users, for sweeping through all of them by and by: those that end until `now`, or were not
    /// used since an instant of their protocol.
    func sweepSessions(
        after last: SessionExpiry.Position?, limit: Int, endedBy now: Timestamp,
        unusedSince instants: SessionExpiry.Disuse
    ) throws(DomainError) -> SessionExpiry.Sweep
    /// Removes sessions that were not used since their lives were read.
    func remove(_ sessions: [SessionExpiry]) throws(DomainError)

    // MARK: Sessions of other services

    /// Whether an import brought the token, whatever became of its session since.
    func wasImported(_ token: SecretDigest, in application: Identifier<Application>) throws(DomainError) -> Bool
    /// Remembers that an import brought the token.
    func noteImported(_ token: SecretDigest, in application: Identifier<Application>) throws(DomainError)

    // MARK: Used proofs

    /// Marks a device proof as used, in all applications; `false` when it was used before.
    ///
    /// - Throws: `clockSkew` for one that may have been used before the server was restarted.
    func markUsed(_ proof: DeviceProof) throws(DomainError) -> Bool
    /// Marks something as used; `false` when it was marked before.
    func markUsed(_ proof: UsedProof, in application: Identifier<Application>) throws(DomainError) -> Bool
    /// Whether something was marked as used, without marking it.
    func wasUsed(_ proof: UsedProof, in application: Identifier<Application>) throws(DomainError) -> Bool
    /// Those of several that were marked as used, in their order. It asks once for each 500.
    func used(
        among proofs: [UsedProof], in application: Identifier<Application>
    ) throws(DomainError) -> [UsedProof]
    /// Forgets so many proofs at the most that are too old to be accepted anyway; how many it were.
    func removeUsedProofs(endedBefore limit: Timestamp, count: Int) throws(DomainError) -> Int

    // MARK: Keys that sign access tokens

    /// All keys, newest first: the first one signs.
    func signingKeys() throws(DomainError) -> [SealedSigningKey]
    func insert(_ key: SealedSigningKey) throws(DomainError)
    func removeSigningKeys(except ids: [String]) throws(DomainError)
}
