/// The audit log as it is read: its entries, their chains, and whether these are whole. `AuditTrail` writes it.
package struct AuditLog: Sendable {
    package let list: ListAudit
    package let chain: ChainAuditEntries
    package let readChain: ReadAuditChain
    package let verify: VerifyAudit

    init(store: any Store, seals: AuditSeals) {
        list = ListAudit(store: store)
        chain = ChainAuditEntries(store: store, seals: seals)
        readChain = ReadAuditChain(store: store)
        verify = VerifyAudit(store: store, seals: seals)
    }
}

/// A page of an application's audit log, newest first.
package struct ListAudit: Sendable {
    package static let maximumPageSize = 1000

    let store: any Store

    /// - Parameters:
    ///   - application: Whose log.
    ///   - filter: Which entries.
    ///   - id: The last entry of the page before, or `nil` for the first page.
    ///   - limit: At most 1000; larger values are cut.
    /// - Returns: the page; the last one has fewer than `limit`.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction(
        in application: Identifier<Application>, matching filter: AuditFilter = AuditFilter(),
        before id: Identifier<AuditEntry>? = nil, limit: Int = 100
    ) async throws(DomainError) -> [AuditEntry] {
        let limit = min(max(limit, 1), Self.maximumPageSize)
        return try await store.read { transaction throws(DomainError) in
            try transaction.auditEntries(in: application, matching: filter, before: id, limit: limit)
        }
    }
}

/// Notes in the audit log that an operator looked at people's data (requirement 42): whose, and never what was seen.
package struct RecordReading: Sendable {
    let store: any Store
    let audit: AuditTrail

    /// - Parameters:
    ///   - user: Who was looked at; `nil` for a list of many.
    ///   - application: Whose users.
    ///   - who: Who does it.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction(
        of user: Identifier<User>?, in application: Identifier<Application>, by who: Operator
    ) async throws(DomainError) {
        try await audit.record(.usersRead, on: user.map { .user($0) }, by: who, in: application, to: store)
    }
}
