/// What administration needs of storage. Admins belong to the server and not to an application.
package protocol AdministrationQueries {
    // MARK: Admins

    func admin(_ id: Identifier<Admin>) throws(DomainError) -> Admin?
    func admin(named folded: String) throws(DomainError) -> Admin?
    /// All admins, oldest first.
    func admins() throws(DomainError) -> [Admin]
    func insert(_ admin: Admin) throws(DomainError)
    /// Writes everything about an admin.
    func update(_ admin: Admin) throws(DomainError)
    func removeAdmin(_ id: Identifier<Admin>) throws(DomainError)

    func insert(_ session: AdminSession) throws(DomainError)
    func adminSession(_ digest: SecretDigest) throws(DomainError) -> AdminSession?
    /// The session of an admin that began at a time, whatever token it has now.
    func adminSession(of admin: Identifier<Admin>, createdAt: Timestamp) throws(DomainError) -> AdminSession?
    func noteUse(of session: AdminSession) throws(DomainError)
    func removeAdminSession(_ digest: SecretDigest) throws(DomainError)
    /// Ends all sessions of an admin, and forgets the links that were given out for them.
    func removeAccess(of admin: Identifier<Admin>) throws(DomainError)
    /// Removes sessions that began before one time, or were last used before another.
    func removeAdminSessions(createdBefore creation: Timestamp, usedBefore use: Timestamp) throws(DomainError)

    /// Ends all sessions of an admin but one.
    func removeAdminSessions(of admin: Identifier<Admin>, but session: SecretDigest) throws(DomainError)

    /// Makes a passkey an admin's. The passkey itself is inserted apart, in `AuditEntry.server`.
    func link(_ passkey: Passkey, to admin: Identifier<Admin>) throws(DomainError)
    /// Whom a passkey leads to.
    func admin(passkey id: String) throws(DomainError) -> Admin?
    /// An admin's passkeys, oldest first.
    func passkeys(of admin: Identifier<Admin>) throws(DomainError) -> [Passkey]
    /// Removes an admin's passkey, and ends the sessions that it opened.
    func removePasskey(_ id: String, of admin: Identifier<Admin>) throws(DomainError)

    func insert(_ identity: AdminIdentity) throws(DomainError)
    /// Whom an identity at a provider of admins leads to.
    func adminIdentity(_ id: String) throws(DomainError) -> AdminIdentity?
    /// The one identity of an admin.
    func identity(of admin: Identifier<Admin>) throws(DomainError) -> AdminIdentity?
    func adminIdentities() throws(DomainError) -> [AdminIdentity]
    /// Removes an admin's identity, and ends the sessions that it opened.
    func removeIdentity(of admin: Identifier<Admin>) throws(DomainError)

    func insert(_ link: AdminLink) throws(DomainError)
    func adminLink(_ digest: SecretDigest) throws(DomainError) -> AdminLink?
    /// Forgets one link; `false` when it is gone already.
    func remove(_ link: AdminLink) throws(DomainError) -> Bool
    /// Forgets the links by which owners could be made.
    func removeOwnerLinks() throws(DomainError)
    /// Forgets links that ended before.
    func removeAdminLinks(endedBefore end: Timestamp) throws(DomainError)

    func insert(_ key: AdminKey) throws(DomainError)
    func adminKey(_ digest: SecretDigest) throws(DomainError) -> AdminKey?
    func adminKey(_ id: Identifier<AdminKey>) throws(DomainError) -> AdminKey?
    func adminKeys() throws(DomainError) -> [AdminKey]
    /// Writes from where a key can be used.
    func updateReach(of key: AdminKey) throws(DomainError)
    func removeAdminKey(_ id: Identifier<AdminKey>) throws(DomainError) -> Bool
    /// Removes keys that ended before.
    func removeAdminKeys(endedBefore end: Timestamp) throws(DomainError)
    /// Ends all keys that an admin made, and tells how many.
    func removeAdminKeys(madeBy admin: Identifier<Admin>) throws(DomainError) -> Int
    /// The application whose own admin key has the digest, without its settings: every request with such a key asks.
    func application(adminKey digest: SecretDigest) throws(DomainError) -> (id: Identifier<Application>, name: String)?

    // MARK: Audit log

    /// Writes an entry that has no number in its chain yet.
    func insert(_ entry: AuditEntry) throws(DomainError)
    /// Entries without a number, by application and then in the order in which their actions began.
    func unchainedAuditEntries(limit: Int) throws(DomainError) -> [AuditEntry]
    /// Writes the number and digest that an entry has in its chain.
    func updatePosition(of entry: ChainedAuditEntry) throws(DomainError)
    /// Where an application's chain ends; `nil` before its first entry.
    func auditHead(of application: Identifier<Application>) throws(DomainError) -> AuditHead?
    /// Where all chains end.
    func auditHeads() throws(DomainError) -> [AuditHead]
    /// Moves the end of a chain.
    func replace(_ head: AuditHead) throws(DomainError)
    /// The entries of a chain after a number, in their order.
    func auditChain(
        of application: Identifier<Application>, after number: Int64, limit: Int
    ) throws(DomainError) -> [ChainedAuditEntry]
    /// Entries, newest first, with and without a number.
    func auditEntries(
        in application: Identifier<Application>, matching filter: AuditFilter, before id: Identifier<AuditEntry>?,
        limit: Int
    ) throws(DomainError) -> [AuditEntry]
    /// When the newest entry of all logs was written; `nil` before the first.
    func newestAuditTime() throws(DomainError) -> Timestamp?
    /// What a user did and what was done to the user, newest first.
    func auditEntries(
        about user: Identifier<User>, in application: Identifier<Application>, limit: Int
    ) throws(DomainError) -> [AuditEntry]

    // MARK: Statistics
    //
    // Every query is a range of an index: ids grow with time.

    func countUsers(
        in application: Identifier<Application>, from start: Timestamp, to end: Timestamp
    ) throws(DomainError) -> Int64
    func countActiveUsers(in application: Identifier<Application>, since day: Int64) throws(DomainError) -> Int64
    /// How many entries of each action and result the audit log has of a span.
    func countAudit(
        in application: Identifier<Application>, from start: Timestamp, to end: Timestamp
    ) throws(DomainError) -> [Statistic.Name: Int64]
    func write(_ statistics: [Statistic], of application: Identifier<Application>) throws(DomainError)
    func statistics(of application: Identifier<Application>, since hour: Int64) throws(DomainError) -> [Statistic]
    /// The last hour that was written.
    func lastHour(of application: Identifier<Application>) throws(DomainError) -> Int64?
    /// Removes what was written of hours after one.
    func removeStatistics(of application: Identifier<Application>, after hour: Int64) throws(DomainError)
}

/// Which entries to list. What is `nil` lets all through.
package struct AuditFilter: Hashable, Sendable {
    package var actor: AuditEntry.Actor?
    package var action: AuditEntry.Action?
    package var target: AuditEntry.Target?

    package init(
        actor: AuditEntry.Actor? = nil, action: AuditEntry.Action? = nil, target: AuditEntry.Target? = nil
    ) {
        self.actor = actor
        self.action = action
        self.target = target
    }
}
