/// A page of an application's users, oldest first.
package struct ListUsers: Sendable {
    package static let maximumPageSize = 1000

    let store: any Store

    /// Which users; `nil` for all.
    package struct Filter: Hashable, Sendable {
        /// Those with or without an identifier or a provider's identity.
        package var isAnonymous: Bool?
        /// Those who are kept out, or are not.
        package var isDisabled: Bool?
        /// Those whose password is the user name, or is not.
        package var hasWeakPassword: Bool?
        /// The one whom a person would name so.
        package var identifier: String?

        package init(
            isAnonymous: Bool? = nil, isDisabled: Bool? = nil, hasWeakPassword: Bool? = nil, identifier: String? = nil
        ) {
            self.isAnonymous = isAnonymous
            self.isDisabled = isDisabled
            self.hasWeakPassword = hasWeakPassword
            self.identifier = identifier
        }

        func fits(_ user: User) -> Bool {
            (isAnonymous ?? user.isAnonymous) == user.isAnonymous
                && (isDisabled ?? user.isDisabled) == user.isDisabled
                && (hasWeakPassword ?? (user.weakPasswordAt != nil)) == (user.weakPasswordAt != nil)
        }
    }

    /// - Parameters:
    ///   - application: Whose users.
    ///   - id: The last user of the page before, or `nil` for the first page.
    ///   - limit: At most 1000; larger values are cut.
    ///   - filter: Which of them.
    /// - Returns: the page; the last one has fewer than `limit`.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction(
        in application: Identifier<Application>, after id: Identifier<User>? = nil, limit: Int = 100,
        filter: Filter = Filter()
    ) async throws(DomainError) -> [User] {
        let limit = min(max(limit, 1), Self.maximumPageSize)
        if let identifier = filter.identifier {
            return try await named(identifier, in: application, after: id).filter(filter.fits)
        }
        // Without a filter the page is the rows.
        let rowCount = filter == Filter() ? limit : Self.maximumPageSize
        // What a user is stands in several tables: a page is filled from as many rows as it takes.
        var (found, cursor): ([User], Identifier<User>?) = ([], id)
        while found.count < limit {
            let start = cursor
            let rows = try await store.read { transaction throws(DomainError) in
                try transaction.users(in: application, after: start, limit: rowCount)
            }
            found += rows.filter(filter.fits)
            guard rows.count == rowCount, let last = rows.last else { break }
            cursor = last.id
        }
        return Array(found.prefix(limit))
    }

    private func named(
        _ text: String, in application: Identifier<Application>, after id: Identifier<User>?
    ) async throws(DomainError) -> [User] {
        try await store.read { transaction throws(DomainError) in
            var found: [User] = []
            for meaning in LogInIdentifier.candidates(of: text) {
                if let user = try transaction.user(meaning, in: application), !found.contains(user) {
                    found.append(user)
                }
            }
            return found.filter { user in id.map { user.id.rawValue > $0.rawValue } ?? true }
        }
    }
}
