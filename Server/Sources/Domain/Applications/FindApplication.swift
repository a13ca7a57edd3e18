/// The application that a request names. Asked at every request, so what was found is kept until it changes.
package struct FindApplication: Sendable {
    private let store: any Store
    private let known: Cache<Identifier<Application>, Application>

    package init(store: any Store, validity: any CacheValidity) {
        self.store = store
        known = Cache(validity: validity)
    }

    /// The application, when it was asked for before: nothing is waited for.
    package func atOnce(_ id: Identifier<Application>) -> Application? {
        known.known(id)
    }

    /// - Throws: `applicationUnknown`, `storageUnavailable`.
    package func callAsFunction(_ id: Identifier<Application>) async throws(DomainError) -> Application {
        try await known.value(for: id) { () async throws(DomainError) in
            let found = try await store.read { transaction throws(DomainError) in try transaction.application(id) }
            guard let found else { throw .applicationUnknown }
            return found
        }
    }

    /// Forgets what a committed transaction changed.
    package func forget(_ change: Change) {
        if case .application(let id) = change { known.forget(id) }
    }
}

/// All applications, oldest first, with their numbers of users.
package struct ListApplications: Sendable {
    let store: any Store
    let schedule: SearchScheduler

    package struct Entry: Hashable, Sendable {
        package var application: Application
        package var userCount: Int
        package var weakPasswords: WeakPasswords
    }

    /// - Parameter access: Who asks over the network: users are counted of what they may see alone, and by the readers that are
    ///   for searches. `nil` for commands.
    /// - Returns: the applications that they may see.
    /// - Throws: `storageUnavailable`, and for who asks over the network `searchTooSlow`, `rateLimited` and `busy`.
    package func callAsFunction(seenBy access: AdminAccess? = nil) async throws(DomainError) -> [Entry] {
        let all = try await store.read { transaction throws(DomainError) in try transaction.applications() }
        guard let access else {
            return try await store.read { transaction throws(DomainError) in try transaction.entries(of: all) }
        }
        // Who is confined takes turns with the admins of the application, all others with those of the server.
        let turn = access.applications?.min { $0.rawValue < $1.rawValue } ?? AuditEntry.server
        let seen = all.filter { access.sees($0.id) }
        return try await schedule(
            in: turn, for: SearchRequest(by: .admin), within: SearchScheduler.longestTimeOfAdmin
        ) { transaction throws(DomainError) in
            try transaction.entries(of: seen)
        }
    }
}

extension Transaction {
    fileprivate func entries(of applications: [Application]) throws(DomainError) -> [ListApplications.Entry] {
        try applications.map { application throws(DomainError) in
            ListApplications.Entry(
                application: application, userCount: try userCount(in: application.id),
                weakPasswords: try weakPasswords(in: application.id))
        }
    }
}
