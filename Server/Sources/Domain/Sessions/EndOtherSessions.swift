/// “Log out everywhere”: ends every way into the account but what the request itself uses.
package struct EndOtherSessions: Sendable {
    let store: any Store
    let clock: any WallClock
    let changes: AccountChanges

    /// Call it only for a session whose owner is there; see `RequireRecentLogIn`.
    ///
    /// - Returns: how many sessions ended and device keys were removed. Keys stay when nothing else leads to the user.
    /// - Throws: `userUnknown`, `storageUnavailable`.
    package func callAsFunction(
        by who: Authenticated, from origin: RequestOrigin
    ) async throws(DomainError) -> Evicted {
        let id = who.user.id
        let ready = try changes.ready(
            [.otherSessionsEnded], of: who.user, in: who.application, by: Operator(actor: .user(id), origin: origin),
            at: clock.now)
        return try await store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: who.application.id) else { throw .userUnknown }
            return try ready.settle([.otherSessionsEnded: [:]], of: &user, keeping: KeptAccess(who), in: transaction)
        }
    }
}
