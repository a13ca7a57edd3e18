/// What happened to the user that the caller's device has not been told: devices that joined by a transfer code.
package struct ListNotices: Sendable {
    let store: any Store

    /// - Returns: oldest first.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction(for who: Authenticated) async throws(DomainError) -> [Transfer] {
        let (user, application) = (who.user.id, who.application.id)
        let transfers = try await store.read { transaction throws(DomainError) in
            try transaction.transfers(of: user, in: application)
        }
        return transfers.filter { $0.isNews(to: who.session, of: who.user) }
    }
}
