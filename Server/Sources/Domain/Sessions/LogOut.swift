/// Ends the session of the request.
package struct LogOut: Sendable {
    let store: any Store

    /// - Throws: `storageUnavailable`. A session that ended meanwhile is no error.
    package func callAsFunction(_ who: Authenticated) async throws(DomainError) {
        let (session, user, application) = (who.session.id, who.user.id, who.application.id)
        _ = try await store.write { transaction throws(DomainError) in
            try transaction.endSession(session, of: user, in: application)
        }
    }
}
