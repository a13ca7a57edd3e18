/// Ends all of the user's sessions but the one of the request.
package struct EndOtherSessions: Sendable {
    let store: any Store
    let audit: AuditTrail

    /// - Returns: how many ended.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction(
        by who: Authenticated, from origin: RequestOrigin
    ) async throws(DomainError) -> Int {
        let (session, user, application) = (who.session.id, who.user.id, who.application.id)
        let entry = audit.draft(.otherSessionsEnded, by: .user(user), in: application, from: origin)
        return try await store.write { transaction throws(DomainError) in
            let count = try transaction.endSessions(of: user, in: application, except: session)
            try entry.record(on: .user(user), details: ["count": String(count)], in: transaction)
            return count
        }
    }
}
