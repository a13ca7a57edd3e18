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

    package struct Entry: Hashable, Sendable {
        package var application: Application
        package var userCount: Int
        package var weakPasswords: WeakPasswords
    }

    /// - Throws: `storageUnavailable`.
    package func callAsFunction() async throws(DomainError) -> [Entry] {
        try await store.read { transaction throws(DomainError) in
            var entries: [Entry] = []
            for application in try transaction.applications() {
                entries.append(
                    Entry(
                        application: application, userCount: try transaction.userCount(in: application.id),
                        weakPasswords: try transaction.weakPasswords(in: application.id)))
            }
            return entries
        }
    }
}
