/// A user's live sessions, newest first.
package struct ListSessions: Sendable {
    let store: any Store
    let clock: any WallClock

    /// - Throws: `storageUnavailable`.
    package func callAsFunction(
        of user: Identifier<User>, in application: Application
    ) async throws(DomainError) -> [Session] {
        let now = clock.now
        let sessions = try await store.read { transaction throws(DomainError) in
            try transaction.sessions(of: user, in: application.id)
        }
        let idleLifetime = application.settings.sessionIdleLifetime
        return sessions.filter { !$0.isExpired(at: now, idleLifetime: idleLifetime, lastUsedAt: $0.lastUsedAt) }
    }
}
