/// “Log out everywhere”: ends every way into the account but what the request itself uses.
package struct EndOtherSessions: Sendable {
    let store: any Store
    let clock: any WallClock
    let changes: AccountChanges

    /// - Parameters:
    ///   - who: The user.
    ///   - isProven: Whether the request came with a proof by the session's key; see `AccountAuthor`.
    ///   - origin: Where the request came from, for the audit log.
    /// - Returns: how many sessions ended and device keys were removed. Keys stay when nothing else leads to the user.
    /// - Throws: `reauthenticationRequired`, `userUnknown`, `storageUnavailable`.
    package func callAsFunction(
        by who: Authenticated, isProven: Bool, from origin: RequestOrigin
    ) async throws(DomainError) -> Evicted {
        let id = who.user.id
        let ready = try changes.ready(
            [.otherSessionsEnded], of: who.user, in: who.application,
            by: .owner(who, isProven: isProven, from: origin), at: clock.now)
        return try await store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: who.application.id) else { throw .userUnknown }
            return try ready.settle([.otherSessionsEnded: [:]], of: &user, keeping: KeptAccess(who), in: transaction)
        }
    }
}
