/// The notices that the caller's device has not seen: devices that joined the user by a transfer code.
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

/// The caller took note. A device that joined a guest proves from then on what the other devices prove (decision 0254), which the
/// audit log has.
package struct AcknowledgeNotice: Sendable {
    let store: any Store
    let clock: any WallClock
    let changes: AccountChanges

    /// - Throws: `transferUnconfirmed` for a guest's device that waits for the same, `sessionInvalid` when the session has ended since
    ///   the request came in, `rateLimited`, `storageUnavailable`. A notice that is not there is no error.
    package func callAsFunction(
        _ id: Identifier<Transfer>, by who: Authenticated, from origin: RequestOrigin
    ) async throws(DomainError) {
        let (userId, application) = (who.user.id, who.application.id)
        let now = clock.now
        let ready = try changes.audit.ready(
            [.transferConfirmed], in: application, by: .owner(who, isProven: false, from: origin), at: now)
        try await store.write { transaction throws(DomainError) in
            let transfers = try transaction.transfers(of: userId, in: application)
            guard var user = try transaction.user(userId, in: application),
                var transfer = transfers.first(where: { $0.id == id }), transfer.isNews(to: who.session, of: user)
            else { return }
            // Of two codes that somebody has read one device would confirm the other.
            try who.requireConfirmed(user, at: now)
            transfer.acknowledgedAt = now
            try transaction.update(transfer)
            // Of a registered user, and after the day, a device proves the same as before.
            guard user.isAnonymous, now < transfer.undoEnd else { return }
            try ready.settle(
                [.transferConfirmed: ["transfer": id.rawValue]], of: &user, keeping: KeptAccess(who), in: transaction)
        }
    }
}
