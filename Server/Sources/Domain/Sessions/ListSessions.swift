/// A user's live sessions, newest first.
package struct ListSessions: Sendable {
    let store: any Store
    let clock: any WallClock
    let protocols: ProtocolRegistry
    let activity: SessionActivity

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
            return !session.isExpired(
                at: now, idleLifetime: rules.idleLifetime, lastUsedAt: activity.lastUse(of: session))
        }
    }

    /// A protocol's sessions of all users, for an administrator; expired ones too, as long as they are remembered.
    ///
    /// - Parameters:
    ///   - name: Which protocol's.
    ///   - application: Where.
    ///   - newestFirst: The order.
    ///   - skip: How many of the first are left out.
    ///   - limit: At most `maximumListed` come.
    /// - Returns: the sessions, and how many there are in all.
    /// - Throws: `storageUnavailable`.
    package func all(
        of name: Session.ProtocolName, in application: Application, newestFirst: Bool, skip: Int, limit: Int
    ) async throws(DomainError) -> (sessions: [Session], count: Int) {
        let (skip, limit) = (min(max(skip, 0), Self.maximumSkip), min(max(limit, 0), Self.maximumListed))
        let page = try await store.read { transaction throws(DomainError) in
            let found = try transaction.sessions(
                in: application.id, openedBy: name, newestFirst: newestFirst, skip: skip, limit: limit)
            return Page(sessions: found.sessions, count: found.count)
        }
        return (page.sessions, page.count)
    }

    private struct Page: Sendable {
        var sessions: [Session]
        var count: Int
    }

    private static let maximumListed = 1000
    private static let maximumSkip = 1_000_000
}
