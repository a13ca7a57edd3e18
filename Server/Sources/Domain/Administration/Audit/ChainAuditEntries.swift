@_spi(TotalConversions) import enum OkaeriWire.JSONValue

/// Puts new audit entries into the chains of their applications, in the order in which it finds them. The
/// server calls it every minute, commands before they read the log.
package struct ChainAuditEntries: Sendable {
    /// Entries in one transaction.
    private static let batchSize = 500

    let store: any Store
    let seals: AuditSeals

    /// - Returns: how many entries were put into chains.
    /// - Throws: `storageUnavailable`.
    @discardableResult
    package func callAsFunction() async throws(DomainError) -> Int {
        var total = 0
        while true {
            // A look alone, so that a minute without actions writes nothing.
            let waits = try await store.read { transaction throws(DomainError) in
                try !transaction.unchainedAuditEntries(limit: 1).isEmpty
            }
            guard waits else { return total }
            let placed = try await store.write { transaction throws(DomainError) in try chain(in: transaction) }
            total += placed
            guard placed == Self.batchSize else { return total }
        }
    }

    private func chain(in transaction: any Transaction) throws(DomainError) -> Int {
        let entries = try transaction.unchainedAuditEntries(limit: Self.batchSize)
        var heads: [Identifier<Application>: AuditHead] = [:]
        for entry in entries {
            let before: AuditHead?
            if let known = heads[entry.application] {
                before = known
            } else {
                before = try transaction.auditHead(of: entry.application)
            }
            let number = (before?.number ?? 0).addingWithSaturation(1)
            let digest = seals.digest(of: entry, number: number, after: before?.digest)
            try transaction.updatePosition(of: ChainedAuditEntry(entry: entry, number: number, digest: digest))
            heads[entry.application] = seals.head(of: entry.application, number: number, digest: digest)
        }
        for head in heads.values { try transaction.replace(head) }
        return entries.count
    }
}
