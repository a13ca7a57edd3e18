/// Takes a device that joined by a transfer code out again: its key, and its sessions. The key leads to the user that it
/// led to before, when there still is one whom nothing else leads to.
package struct UndoTransfer: Sendable {
    let store: any Store
    let clock: any WallClock
    let changes: AccountChanges

    /// - Throws: `transferUnknown`, also for one that is the caller's own device's; `undoTooLate` after a day;
    ///   `transferUnconfirmed` for a guest's device that can be taken out itself; `storageUnavailable`. A transfer that was undone already is no error.
    package func callAsFunction(
        _ id: Identifier<Transfer>, by who: Authenticated, from origin: RequestOrigin
    ) async throws(DomainError) {
        let now = clock.now
        let (userId, application) = (who.user.id, who.application.id)
        let session = who.session
        let ready = try changes.audit.ready(
            [.transferUndone], in: application, by: .owner(who, isProven: false, from: origin), at: now)
        try await store.write { transaction throws(DomainError) in
            // Read anew: what the caller's entry in the cache says may be older than the transfer.
            guard var user = try transaction.user(userId, in: application),
                var transfer = try transaction.transfers(of: userId, in: application).first(where: { $0.id == id }),
                transfer.concerns(session, of: user)
            else { throw .transferUnknown }
            // A thief's device takes out none that came after it.
            try who.requireConfirmed(user, at: now)
            guard transfer.undoneAt == nil else { return }
            guard now < transfer.undoEnd else { throw .undoTooLate }
            transfer.undoneAt = now
            try transaction.update(transfer)
            // Before sessions end that came from the device.
            try ready.settle(
                [.transferUndone: ["transfer": id.rawValue]], of: &user, keeping: KeptAccess(who), in: transaction)
            _ = try transaction.endSessions(of: userId, in: application, deviceKeys: [transfer.deviceKey])
            try transaction.removeNewAddressesOfEndedSessions(of: user)
            if let key = user.identities.first(where: { $0.provider == .device && $0.subject == transfer.deviceKey }) {
                try transaction.unlinkForGood(key, of: &user, because: .init(.transferUndone), at: now)
                try Self.giveBack(transfer, in: transaction, at: now)
            }
        }
    }

    /// Lets the key lead to the user that it led to before, if there still is one: else its device learns why it is out. Whom
    /// something else leads to may have ended all keys meanwhile, and this one did not end with them, as it was elsewhere: it
    /// joins again by what leads there (requirement 49).
    private static func giveBack(
        _ transfer: Transfer, in transaction: any Transaction, at now: Timestamp
    ) throws(DomainError) {
        guard let id = transfer.leftUser, var left = try transaction.user(id, in: transfer.application),
            !left.hasWayIn(without: [], by: nil)
        else { return }
        try transaction.link(
            Identity(provider: .device, subject: transfer.deviceKey, linkedAt: now), to: id, in: transfer.application)
        // Only the deletion that the transfer brought about; not one that somebody asked for.
        guard left.deletionRequestedAt == transfer.redeemedAt else { return }
        try transaction.restore(&left)
    }
}
