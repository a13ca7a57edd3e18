/// Ends a session by its id, for operators.
package struct RevokeSession: Sendable {
    let store: any Store
    let audit: AuditTrail

    /// - Throws: `sessionUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<Session>, in application: Identifier<Application>, by who: Operator
    ) async throws(DomainError) {
        let entry = audit.draft(.sessionEnded, by: who.actor, in: application, from: who.origin)
        let ended = try await store.write { transaction throws(DomainError) in
            guard try transaction.endSession(id, in: application) else { return false }
            try entry.record(on: .session(id), in: transaction)
            return true
        }
        guard ended else { throw .sessionUnknown }
    }
}
