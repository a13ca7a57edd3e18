/// What came to the chains of the audit log since somebody looked last, for one who keeps a copy elsewhere.
package struct ReadAuditChain: Sendable {
    /// How far somebody has come: the last entry of each log.
    package typealias Positions = [Identifier<Application>: VerifyAudit.Known]

    package struct Page: Hashable, Sendable {
        /// Log by log, each in its order.
        package var entries: [ChainedAuditEntry] = []
        /// Logs that do not hold the entry up to which somebody has come: an older copy of the database was put back. Their
        /// entries follow from the first one.
        package var replaced: [Identifier<Application>] = []
    }

    let store: any Store

    /// - Parameters:
    ///   - positions: How far one has come; a log without one from its beginning.
    ///   - limit: The most entries.
    /// - Returns: the entries that follow; none when there are no more.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction(after positions: Positions, limit: Int = 100) async throws(DomainError) -> Page {
        try await store.read { transaction throws(DomainError) in
            var page = Page()
            for head in try transaction.auditHeads() where page.entries.count < limit {
                let application = head.application
                var number: Int64 = 0
                if let position = positions[application] {
                    guard position.number != head.number || position.digest != head.digest else { continue }
                    let before = max(0, position.number &- 1)
                    let known = try transaction.auditChain(of: application, after: before, limit: 1).first
                    if known?.number == position.number, known?.digest == position.digest {
                        number = position.number
                    } else {
                        page.replaced.append(application)
                    }
                }
                page.entries += try transaction.auditChain(
                    of: application, after: number, limit: limit - page.entries.count)
            }
            return page
        }
    }
}
