/// An operator brings a user back from the way out, before the grace is over. Sessions stay ended.
package struct RestoreUser: Sendable {
    let store: any Store
    let audit: AuditTrail

    /// - Returns: the user afterwards; nothing happens to one that is not on the way out.
    /// - Throws: `userUnknown`, also for one that is erased; `storageUnavailable`.
    @discardableResult
    package func callAsFunction(
        _ id: Identifier<User>, in application: Identifier<Application>, by who: Operator
    ) async throws(DomainError) -> User {
        let entry = audit.draft(.userRestored, by: who.actor, in: application, from: who.origin)
        return try await store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
            guard user.deletionRequestedAt != nil else { return user }
            user.deletionRequestedAt = nil
            try transaction.updateStanding(of: user)
            try entry.record(on: .user(id), in: transaction)
            return user
        }
    }
}
