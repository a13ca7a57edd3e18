/// What accounts need of storage: users, what leads to them, their credentials, and what happens to them.
package protocol AccountQueries {
    // MARK: Users

    /// The user with its identities.
    func user(_ id: Identifier<User>, in application: Identifier<Application>) throws(DomainError) -> User?
    /// Users by id, that is by age, oldest first.
    func users(
        in application: Identifier<Application>, after id: Identifier<User>?, limit: Int
    ) throws(DomainError) -> [User]
    /// Writes a new user, without its identities.
    func insert(_ user: User) throws(DomainError)
    /// Writes the access list and the time of change.
    func updateACL(of user: User) throws(DomainError)
    /// Writes name, locale, fields and the time of change.
    func updateProfile(of user: User) throws(DomainError)
    /// Writes the roles and groups, and the time of change.
    func updateGrants(of user: User) throws(DomainError)
    /// The users that were given a role or a group, by id, with what leads to them: two statements, however many there are.
    func members(
        of grant: Identifier<Grant>, in application: Identifier<Application>, after user: Identifier<User>?, limit: Int
    ) throws(DomainError) -> [User]
    /// How many users were given a role or a group.
    func memberCount(
        of grant: Identifier<Grant>, in application: Identifier<Application>
    ) throws(DomainError) -> Int64
    /// Forgets some of those who were given a role or a group that is no more, as many as `limit` at the most. Users still name it.
    ///
    /// - Returns: how many were forgotten.
    func removeMembers(
        of grant: Identifier<Grant>, in application: Identifier<Application>, limit: Int
    ) throws(DomainError) -> Int
    /// Writes the times of the last two log-ins.
    func updateLogInTimes(of user: User) throws(DomainError)

    // MARK: Standing: whether a user may log in

    /// Writes `disabledAt` and `deletionRequestedAt`.
    func updateStanding(of user: User) throws(DomainError)

    // MARK: Identities

    /// The user that an identity leads to.
    func user(
        provider: Identity.Provider, subject: String, in application: Identifier<Application>
    ) throws(DomainError) -> User?
    /// Links an identity that leads to nobody yet.
    func insert(_ identity: Identity, for user: Identifier<User>, in application: Identifier<Application>)
        throws(DomainError)
    /// Unlinks an identity.
    func remove(_ identity: Identity, of user: Identifier<User>, in application: Identifier<Application>)
        throws(DomainError)

    // MARK: Identifiers
    //
    // User names, mail addresses, phone numbers. Each leads to at most one user of an application, in its folded
    // form.

    /// The user that an identifier leads to.
    func user(_ identifier: LogInIdentifier, in application: Identifier<Application>) throws(DomainError) -> User?
    /// Writes user name, mail address, phone number, the times of their verification and of the change, and lets the
    /// folded forms lead to the user, instead of those that the user had before.
    ///
    /// Call it for a new user too, after `insert`. Look first whether somebody else has them: an identifier that is
    /// taken makes the transaction fail.
    func updateIdentifiers(of user: User) throws(DomainError)

    // MARK: Passwords
    //
    // Hashes are stored apart from users, so that no other query reads one.

    /// Whom an identifier leads to, and the hash of their password, in one question: a known user must not take longer
    /// than an unknown one (requirement 10).
    func passwordHash(
        of identifier: LogInIdentifier, in application: Identifier<Application>
    ) throws(DomainError) -> (user: Identifier<User>, hash: PasswordHash?)?
    func passwordHash(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> PasswordHash?
    /// Gives a user a first or another password. The user then has `passwordSetAt` and `updatedAt` at `now`, and no mark
    /// for a weak one.
    func setPassword(
        _ hash: PasswordHash, of user: Identifier<User>, in application: Identifier<Application>, at now: Timestamp
    ) throws(DomainError)
    /// Notes that a user has a password whose hash nobody handed out: nothing fits it.
    func noteUnknownPassword(
        of user: Identifier<User>, in application: Identifier<Application>, since instant: Timestamp
    ) throws(DomainError)
    /// Takes a user's password away; nothing happens when there is none.
    func removePassword(of user: Identifier<User>, in application: Identifier<Application>) throws(DomainError)
    /// Marks a user whose password is the user name; `nil` takes the mark away.
    func markPassword(
        of user: Identifier<User>, in application: Identifier<Application>, weakSince time: Timestamp?
    ) throws(DomainError)
    /// How many users are marked.
    func weakPasswords(in application: Identifier<Application>) throws(DomainError) -> WeakPasswords
    /// Stores the same password under a better hash at `now`, unless another one was set meanwhile.
    func replacePasswordHash(
        _ before: PasswordHash, with hash: PasswordHash, of user: Identifier<User>,
        in application: Identifier<Application>, at now: Timestamp
    ) throws(DomainError)

    // MARK: Schemes of passwords
    //
    // Setting and rehashing a password note the scheme of its hash.

    /// The schemes of an application's passwords; perhaps also some that nobody has any more.
    func passwordSchemes(in application: Identifier<Application>) throws(DomainError) -> Set<PasswordScheme>
    /// Schemes that were not known to be in use since a time, of all applications.
    func passwordSchemes(usedBefore limit: Timestamp, count: Int) throws(DomainError) -> [PasswordSchemeUse]
    /// Whether a password has a scheme. It looks at all of an application's passwords when none has.
    func hasPasswords(
        of scheme: PasswordScheme, in application: Identifier<Application>
    ) throws(DomainError) -> Bool
    /// Notes that a scheme is in use, or is not any more, unless it was noted anew meanwhile.
    func settle(_ use: PasswordSchemeUse, isUsed: Bool, at now: Timestamp) throws(DomainError)

    // MARK: Failed log-ins
    //
    // They survive a restart and are shared between nodes (requirement 12); subjects are digests, because people
    // type passwords into the wrong field.

    func failures(of subject: SecretDigest, in application: Identifier<Application>) throws(DomainError)
        -> LogInFailures?
    func write(
        _ failures: LogInFailures, of subject: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError)
    func removeFailures(of subject: SecretDigest, in application: Identifier<Application>) throws(DomainError)
    /// Forgets rows that nobody went on with, so many at the most; how many they were.
    func removeFailures(lastBefore limit: Timestamp, count: Int) throws(DomainError) -> Int

    // MARK: Removed device keys, and tickets

    /// Remembers a removed key, in the place of an earlier removal.
    func keep(_ key: RemovedDeviceKey) throws(DomainError)
    func removedDeviceKey(
        _ thumbprint: String, in application: Identifier<Application>
    ) throws(DomainError) -> RemovedDeviceKey?
    /// Forgets a removal, because the key leads to somebody again; nothing happens when there was none.
    func forgetRemovedDeviceKey(_ thumbprint: String, in application: Identifier<Application>) throws(DomainError)
    /// Forgets removals of before a time, so many at the most; how many they were.
    func forgetRemovedDeviceKeys(before limit: Timestamp, count: Int) throws(DomainError) -> Int
    /// Takes all device keys from a user but one, and remembers each: two statements, however many there are.
    func removeDeviceKeys(
        of user: Identifier<User>, in application: Identifier<Application>, except kept: String?,
        because reason: RemovedDeviceKey.Reason, at now: Timestamp
    ) throws(DomainError)
    /// Makes everything void that carries the user's present `credentialsVersion`.
    func voidTickets(of user: inout User) throws(DomainError)

    // MARK: Transfer codes

    /// Stores a code in place of the one that the user had.
    func replace(_ code: StoredTransferCode) throws(DomainError)
    /// The code that waits under a digest.
    func transferCode(
        _ digest: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) -> StoredTransferCode?
    /// Takes the user's code away; `false` when there was none.
    func removeTransferCode(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> Bool
    func insert(_ transfer: Transfer) throws(DomainError)
    /// Removes transfers of a user beyond the newest `Transfer.maximumPerUser`, a thousand at the most.
    func removeExcessTransfers(of user: Identifier<User>, in application: Identifier<Application>) throws(DomainError)
    /// The user's transfers, oldest first: the newest `Transfer.maximumPerUser`.
    func transfers(of user: Identifier<User>, in application: Identifier<Application>) throws(DomainError) -> [Transfer]
    /// The transfer that a code made.
    func transfer(
        codeDigest: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) -> Transfer?
    /// Writes `acknowledgedAt` and `undoneAt`.
    func update(_ transfer: Transfer) throws(DomainError)
    /// Lets a transfer be one of another user, under `Transfer.spentDigest`: no code leads to it any more.
    func move(_ transfer: Transfer, to user: Identifier<User>) throws(DomainError)
    /// Lets an identity lead to nobody; `false` when it did not lead to this user.
    func remove(
        _ provider: Identity.Provider, subject: String, of user: Identifier<User>,
        in application: Identifier<Application>
    ) throws(DomainError) -> Bool
    /// Removes codes that were issued before a time, so many at the most; how many they were.
    func removeTransferCodes(issuedBefore limit: Timestamp, count: Int) throws(DomainError) -> Int
    /// The same of transfers that happened before a time.
    func removeTransfers(redeemedBefore limit: Timestamp, count: Int) throws(DomainError) -> Int

    // MARK: Merges

    func insert(_ ticket: MergeTicket) throws(DomainError)
    func mergeTicket(
        _ digest: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) -> MergeTicket?
    /// Takes a ticket, and all others between the same two users.
    func remove(_ ticket: MergeTicket) throws(DomainError)
    /// Takes all tickets that a user is a side of; the number that went.
    func removeMergeTickets(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> Int
    func insert(_ merge: Merge) throws(DomainError)
    func merge(
        _ id: Identifier<Merge>, of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> Merge?
    func remove(_ merge: Merge) throws(DomainError)
    /// Removes tickets that ended before a time, so many at the most; how many they were.
    func removeMergeTickets(endedBefore limit: Timestamp, count: Int) throws(DomainError) -> Int
    /// The same of merges that happened before a time.
    func removeMerges(mergedBefore limit: Timestamp, count: Int) throws(DomainError) -> Int

    // MARK: Deletion

    /// Users whose deletion was requested before a time, oldest request first.
    func usersToErase(
        in application: Identifier<Application>, requestedBefore limit: Timestamp, count: Int
    ) throws(DomainError) -> [Identifier<User>]
    /// Users whose deletion was requested after a time, so many at the most.
    func usersLeaving(
        in application: Identifier<Application>, requestedAfter time: Timestamp, count: Int
    ) throws(DomainError) -> [Identifier<User>]
    /// Removes everything that is stored about a user but the audit log.
    func erase(_ user: Identifier<User>, in application: Identifier<Application>) throws(DomainError)
    /// Users after one in the order of ids, that nobody could type a name of, whose last log-in was before a time, and who were not
    /// taken in since.
    func idleUsers(
        in application: Identifier<Application>, loggedInBefore limit: Timestamp, after id: Identifier<User>?,
        count: Int
    ) throws(DomainError) -> [Identifier<User>]
    /// Writes when a user was taken in from elsewhere.
    func noteImport(
        of user: Identifier<User>, in application: Identifier<Application>, at time: Timestamp
    ) throws(DomainError)
    /// When a user was taken in from elsewhere; `nil` for one who was made here.
    func importTime(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> Timestamp?

    // MARK: Searches and lists

    /// - Throws: `searchTooSlow` beyond the time limit of the search that it is part of, `searchTooLarge` beyond its
    ///   bytes, `storageUnavailable`.
    func search(
        _ search: UserSearch, in application: Identifier<Application>
    ) throws(DomainError) -> UserSearch.Findings

    // MARK: Lists

    /// Where users stand in the list of a leader, in its order, after a cursor.
    func cursors(
        _ leader: UserLeader, in application: Identifier<Application>, from cursor: UserCursor?, limit: Int
    ) throws(DomainError) -> [UserCursor]
    /// On which day, since 1970, a user was last there.
    func daySeen(of user: Identifier<User>, in application: Identifier<Application>) throws(DomainError) -> Int64
    /// An application's sessions: those of the newest users first, or those of one protocol.
    func sessions(
        in application: Identifier<Application>, protocolName: Session.ProtocolName?, from cursor: SessionCursor?,
        limit: Int
    ) throws(DomainError) -> [Session]
    /// Merges that can still be undone, newest first.
    func merges(
        in application: Identifier<Application>, before id: Identifier<Merge>?, limit: Int
    ) throws(DomainError) -> [Merge]
    /// Merges that were offered and not decided.
    func mergeTickets(in application: Identifier<Application>, limit: Int) throws(DomainError) -> [MergeTicket]
}
