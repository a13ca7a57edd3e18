/// Keeps a user out, or lets it in again, for operators. Sessions stay and are refused while the user is disabled.
package struct SetUserDisabled: Sendable {
    let store: any Store
    let clock: any WallClock
    let audit: AuditTrail

    /// - Returns: the user afterwards; nothing happens when it is so already.
    /// - Throws: `userUnknown`, `storageUnavailable`.
    @discardableResult
    package func callAsFunction(
        _ id: Identifier<User>, in application: Identifier<Application>, isDisabled: Bool, by who: Operator = .local
    ) async throws(DomainError) -> User {
        let now = clock.now
        let entry = audit.draft(
            isDisabled ? .userDisabled : .userEnabled, by: who.actor, in: application, from: who.origin)
        return try await store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
            guard user.isDisabled != isDisabled else { return user }
            user.disabledAt = isDisabled ? now : nil
            try transaction.updateStanding(of: user)
            try entry.record(on: .user(id), in: transaction)
            return user
        }
    }
}
