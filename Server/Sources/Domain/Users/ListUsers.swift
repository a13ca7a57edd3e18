/// A page of an application's users, oldest first.
package struct ListUsers: Sendable {
    package static let maximumPageSize = 1000

    let store: any Store

    /// - Parameters:
    ///   - application: Whose users.
    ///   - id: The last user of the page before, or `nil` for the first page.
    ///   - limit: At most 1000; larger values are cut.
    /// - Returns: the page; the last one has fewer than `limit`.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction(
        in application: Identifier<Application>, after id: Identifier<User>? = nil, limit: Int = 100
    ) async throws(DomainError) -> [User] {
        let limit = min(max(limit, 1), Self.maximumPageSize)
        return try await store.read { transaction throws(DomainError) in
            try transaction.users(in: application, after: id, limit: limit)
        }
    }
}
