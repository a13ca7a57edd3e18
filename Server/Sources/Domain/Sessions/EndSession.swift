/// Ends one of the user's own sessions.
package struct EndSession: Sendable {
    let store: any Store

    /// - Throws: `sessionUnknown`, `storageUnavailable`.
    package func callAsFunction(_ id: Identifier<Session>, by who: Authenticated) async throws(DomainError) {
        let (user, application) = (who.user.id, who.application.id)
        let ended = try await store.write { transaction throws(DomainError) in
            try transaction.endSession(id, of: user, in: application)
        }
        guard ended else { throw .sessionUnknown }
    }
}
