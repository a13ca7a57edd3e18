/// The caller took note.
package struct AcknowledgeNotice: Sendable {
    let store: any Store
    let clock: any WallClock

    /// - Throws: `storageUnavailable`. A notice that is not there is no error.
    package func callAsFunction(_ id: Identifier<Transfer>, by who: Authenticated) async throws(DomainError) {
        let (user, application) = (who.user.id, who.application.id)
        let now = clock.now
        try await store.write { transaction throws(DomainError) in
            let transfers = try transaction.transfers(of: user, in: application)
            guard var transfer = transfers.first(where: { $0.id == id }), transfer.isNews(to: who.session, of: who.user)
            else { return }
            transfer.acknowledgedAt = now
            try transaction.update(transfer)
        }
    }
}
