/// Counts users who break a rule that was made after they were: what they have stays readable, and is judged when it
/// changes. Looks at the first users only, so that an operator is never kept waiting.
package struct CountRuleBreakers: Sendable {
    /// The most users that are looked at.
    package static let maximumUsers = 10_000
    private static let pageSize = 500

    let schedule: SearchScheduler
    /// The longest that an operator waits for the count.
    private static let longestTime: Duration = .seconds(5)

    package struct Count: Hashable, Sendable {
        /// How many of the users who were looked at break the rule.
        package var breaking: Int
        /// How many were looked at.
        package var looked: Int
        /// Whether these are all there are.
        package var isComplete: Bool
    }

    /// - Parameters:
    ///   - rule: The rule.
    ///   - application: Whose users.
    /// - Returns: the count; nothing is looked at for a rule that nobody can break.
    /// - Throws: `rateLimited` when the application's admins have searched for too long of late, `busy` when too many of their
    ///   searches wait, `storageUnavailable`.
    package func callAsFunction(
        of rule: FieldRule, in application: Identifier<Application>
    ) async throws(DomainError) -> Count {
        var count = Count(breaking: 0, looked: 0, isComplete: true)
        guard rule.kind != .any || rule.isRequired else { return count }
        let request = SearchRequest(by: .admin)
        var (cursor, pageSize): (Identifier<User>?, Int) = (nil, Self.pageSize)
        while count.looked < Self.maximumUsers {
            let (start, limit) = (cursor, pageSize)
            let users: [User]
            do throws(DomainError) {
                users = try await schedule(in: application, for: request, within: Self.longestTime) {
                    transaction throws(DomainError) in
                    try transaction.users(in: application, after: start, limit: limit)
                }
            } catch {
                switch error.code {
                case .searchTooSlow,
                    .rateLimited where count.looked > 0:
                    count.isComplete = false
                    return count
                // Users with many fields: fewer of them at a time.
                case .searchTooLarge where limit > 1:
                    pageSize = limit / 4
                    continue
                default: throw error
                }
            }
            count.looked += users.count
            count.breaking += users.count { rule.isBroken(by: $0) }
            guard users.count == limit, let last = users.last else { return count }
            cursor = last.id
        }
        count.isComplete = false
        return count
    }
}
