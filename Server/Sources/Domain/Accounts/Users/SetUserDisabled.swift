/// Keeps a user out, or lets it in again, for operators. What led to the user ends, but for the last way in, which is
/// refused while the user is disabled.
package struct SetUserDisabled: Sendable {
    let store: any Store
    let clock: any WallClock
    let changes: AccountChanges

    /// - Returns: the user afterwards; nothing happens when it is so already.
    /// - Throws: `userUnknown`, `storageUnavailable`.
    @discardableResult
    package func callAsFunction(
        _ id: Identifier<User>, in application: Application, isDisabled: Bool, by who: Operator
    ) async throws(DomainError) -> User {
        let now = clock.now
        let change = isDisabled ? AccountChange.disabled : .enabled
        let known = try await store.read { transaction throws(DomainError) in
            try transaction.user(id, in: application.id)
        }
        guard let known else { throw .userUnknown }
        let ready = try changes.ready([change], of: known, in: application, by: who, at: now)
        return try await store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application.id) else { throw .userUnknown }
            guard user.isDisabled != isDisabled else { return user }
            user.disabledAt = isDisabled ? now : nil
            try transaction.updateStanding(of: user)
            try ready.settle([change: [:]], of: &user, keeping: .nothing, in: transaction)
            return user
        }
    }
}
