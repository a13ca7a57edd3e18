/// All applications, oldest first, with their numbers of users.
package struct ListApplications: Sendable {
    let store: any Store

    package struct Entry: Hashable, Sendable {
        package var application: Application
        package var userCount: Int
        package var weakPasswords: WeakPasswords
    }

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
