/// An operator takes an application's users along: as many as there are, a page at a time. It stands in the audit log.
package struct ExportUsers: Sendable {
    let store: any Store
    let browse: BrowseUsers
    let audit: AuditTrail

    /// One page of the export after the other.
    package struct Pages: Sendable {
        /// What is held in memory at once.
        package static let size = 100
        /// What one page may take. An export is asked for by an admin who has proved to be there, stands in the audit
        /// log and must not end in the middle: its pages have longer than other searches.
        static let longestTime: Duration = .seconds(10)

        let browse: BrowseUsers
        let application: Identifier<Application>
        let filter: BrowseUsers.Filter

        /// - Parameter cursor: Where the page begins; `nil` for the first one.
        /// - Returns: at most `size` users.
        /// - Throws: `storageUnavailable`.
        package func callAsFunction(from cursor: UserCursor?) async throws(DomainError) -> BrowseUsers.Page {
            try await browse(
                in: application, for: .unrestricted, filter, from: cursor, limit: Self.size, stride: Self.size,
                within: Self.longestTime)
        }
    }

    /// - Throws: `storageUnavailable`.
    package func callAsFunction(
        of application: Identifier<Application>, _ filter: BrowseUsers.Filter, by who: Operator
    ) async throws(DomainError) -> Pages {
        let entry = audit.draft(.usersExported, by: who.actor, in: application, from: who.origin)
        try await store.write { transaction throws(DomainError) in
            try entry.record(on: .application(application), in: transaction)
        }
        return Pages(browse: browse, application: application, filter: filter)
    }
}
