/// Ends all of the user's sessions but the one of the request.
package struct EndOtherSessions: Sendable {
    let store: any Store

    /// - Returns: how many ended.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction(by who: Authenticated) async throws(DomainError) -> Int {
        let (session, user, application) = (who.session.id, who.user.id, who.application.id)
        return try await store.write { transaction throws(DomainError) in
            try transaction.endSessions(of: user, in: application, except: session)
        }
    }
}
