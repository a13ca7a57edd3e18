/// One user with its identities, from the database.
package struct ReadUser: Sendable {
    let store: any Store

    /// - Throws: `userUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<User>, in application: Identifier<Application>
    ) async throws(DomainError) -> User {
        let user = try await store.read { transaction throws(DomainError) in
            try transaction.user(id, in: application)
        }
        guard let user else { throw .userUnknown }
        return user
    }
}
