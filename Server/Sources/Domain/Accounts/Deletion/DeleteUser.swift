/// An operator deletes a user, with the same grace.
package struct DeleteUser: Sendable {
    let store: any Store
    let clock: any WallClock
    let audit: AuditTrail

    /// - Returns: when the user is erased.
    /// - Throws: `userUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<User>, in application: Application, by who: Operator
    ) async throws(DomainError) -> Timestamp {
        let now = clock.now
        let entry = audit.draft(.deletionRequested, by: who.actor, in: application.id, from: who.origin)
        let requestedAt = try await store.write { transaction throws(DomainError) in
            try transaction.requestDeletion(of: id, in: application.id, at: now, entry: entry)
        }
        guard let requestedAt else { throw .userUnknown }
        return requestedAt + application.settings.deletionGrace
    }
}
