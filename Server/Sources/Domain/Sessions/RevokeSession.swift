/// Ends a session by its id, for operators.
package struct RevokeSession: Sendable {
    let store: any Store

    /// - Throws: `sessionUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<Session>, in application: Identifier<Application>
    ) async throws(DomainError) {
        let ended = try await store.write { transaction throws(DomainError) in
            try transaction.endSession(id, in: application)
        }
        guard ended else { throw .sessionUnknown }
    }
}
