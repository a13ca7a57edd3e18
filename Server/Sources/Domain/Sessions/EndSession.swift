/// Ends one of the user's own sessions.
package struct EndSession: Sendable {
    let store: any Store
    let audit: AuditTrail

    /// - Throws: `sessionUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<Session>, by who: Authenticated, from origin: RequestOrigin
    ) async throws(DomainError) {
        let (user, application) = (who.user.id, who.application.id)
        let entry = audit.draft(.sessionEnded, by: .user(user), in: application, from: origin)
        let ended = try await store.write { transaction throws(DomainError) in
            guard try transaction.endSession(id, of: user, in: application) else { return false }
            try entry.record(on: .session(id), in: transaction)
            return true
        }
        guard ended else { throw .sessionUnknown }
    }
}
