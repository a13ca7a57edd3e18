/// What the slice asks of storage.
package protocol AuditQueries {
    /// Writes an entry that has no place in its chain yet.
    func insert(_ entry: AuditEntry) throws(DomainError)
    /// Entries without a place, by application and then in the order in which their deeds began.
    func unchainedAuditEntries(limit: Int) throws(DomainError) -> [AuditEntry]
    /// Gives an entry its place.
    func place(_ entry: ChainedAuditEntry) throws(DomainError)
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
    /// Entries, newest first, whether or not they have their place.
    func auditEntries(
        in application: Identifier<Application>, matching filter: AuditFilter, before id: Identifier<AuditEntry>?,
        limit: Int
    ) throws(DomainError) -> [AuditEntry]
    /// What a user did and what was done to the user, newest first.
    func auditEntries(
        about user: Identifier<User>, in application: Identifier<Application>, limit: Int
    ) throws(DomainError) -> [AuditEntry]
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
