/// A user's live sessions, newest first.
package struct ListSessions: Sendable {
    let store: any Store
    let clock: any WallClock
    let protocols: ProtocolRegistry

    /// - Throws: `storageUnavailable`.
    package func callAsFunction(
        of user: Identifier<User>, in application: Application
    ) async throws(DomainError) -> [Session] {
        let now = clock.now
        let sessions = try await store.read { transaction throws(DomainError) in
            try transaction.sessions(of: user, in: application.id)
        }
        return sessions.filter { session in
            let rules = application.settings.sessionRules(of: protocols[session.protocolName])
            return !session.isExpired(at: now, idleLifetime: rules.idleLifetime, lastUsedAt: session.lastUsedAt)
        }
    }
}
