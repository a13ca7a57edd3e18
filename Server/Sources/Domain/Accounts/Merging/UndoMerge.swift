/// Takes a merge apart again, within seven days: the user that went is there as it was, its identities lead to it, and
/// the user that stayed has the values of before, but for those that were changed since. To a user that went and has come back by
/// something else, they lead no more.
package struct UndoMerge: Sendable {
    let store: any Store
    let clock: any WallClock
    let changes: AccountChanges

    /// - Parameters:
    ///   - id: Which merge.
    ///   - who: The user that stayed.
    ///   - isProven: Whether the request came with a proof by the session's key; see `AccountAuthor`.
    ///   - origin: Where the request came from, for the audit log.
    /// - Throws: `reauthenticationRequired`, `mergeUnknown`, also for one that was undone; `undoTooLate`; `lastWayIn` when nothing would
    ///   lead to one of the two, because all else that did was unlinked since; `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<Merge>, by who: Authenticated, isProven: Bool, from origin: RequestOrigin
    ) async throws(DomainError) {
        try await undo(
            id, of: who.user.id, in: who.application.id, by: .owner(who, isProven: isProven, from: origin))
    }

    /// Takes a merge apart for an operator.
    ///
    /// - Parameters:
    ///   - id: Which merge.
    ///   - userId: The user that stayed.
    ///   - application: Where.
    ///   - who: Who does it.
    /// - Throws: as above.
    package func callAsFunction(
        _ id: Identifier<Merge>, of userId: Identifier<User>, in application: Identifier<Application>, by who: Operator
    ) async throws(DomainError) {
        try await undo(id, of: userId, in: application, by: .operator(who))
    }

    private func undo(
        _ id: Identifier<Merge>, of userId: Identifier<User>, in application: Identifier<Application>,
        by author: AccountAuthor
    ) async throws(DomainError) {
        let now = clock.now
        let ready = try changes.audit.ready([.mergeUndone], in: application, by: author, at: now)
        try await store.write { transaction throws(DomainError) in
            guard let merge = try transaction.merge(id, of: userId, in: application),
                var user = try transaction.user(userId, in: application)
            else { throw .mergeUnknown }
            guard now < merge.undoEnd, var left = try transaction.user(merge.leftUser, in: application) else {
                throw .undoTooLate
            }
            // Before a device goes back, whose session may be the one of the request.
            try ready.settle(
                [.mergeUndone: [AccountChange.leftUserDetail: left.id.rawValue]], of: &user, keeping: author.kept,
                unlinked: merge.moved.identities.filter { $0.provider != .device }, in: transaction)
            try transaction.endWhatCameBySession(since: merge, of: &user, keeping: author.kept, at: now)
            try transaction.giveBack(merge.moved.identities, to: left, at: now, from: user)
            try transaction.removeNewAddressesOfEndedSessions(of: user)
            try transaction.requireWaysIn(left.id, user)
            let moved = Set(merge.moved.transfers)
            for transfer in try transaction.transfers(of: userId, in: application) where moved.contains(transfer.id) {
                try transaction.move(transfer, to: left.id)
            }
            merge.moved.takeBack(from: &user)
            user.updatedAt = now
            try transaction.updateProfile(of: user)
            try transaction.restore(&left)
            try transaction.remove(merge)
        }
    }
}

extension Transaction {
    /// Lets what a merge took along lead to the user that went again, and ends the sessions of its devices.
    ///
    /// - Parameters:
    ///   - identities: What the merge took along.
    ///   - left: The user that went. Whom something else leads to has come back by it, which ended all keys; these did not end with
    ///     them, as they were elsewhere, and end now (decision 0256).
    ///   - now: When.
    ///   - user: The user that stayed.
    /// - Throws: `storageUnavailable`.
    fileprivate func giveBack(
        _ identities: [Identity], to left: User, at now: Timestamp, from user: User
    ) throws(DomainError) {
        let isBack = left.hasWayIn(without: [], by: nil)
        for identity in identities {
            // One that was unlinked since stays unlinked.
            guard try remove(identity.provider, subject: identity.subject, of: user.id, in: user.application) else {
                continue
            }
            if !isBack {
                try link(identity, to: left.id, in: user.application)
            } else if identity.provider == .device {
                try keep(
                    RemovedDeviceKey(
                        application: user.application, thumbprint: identity.subject, user: left.id,
                        reason: .init(.mergeUndone), removedAt: now))
            }
            if identity.provider == .device {
                _ = try endSessions(of: user.id, in: user.application, deviceKeys: [identity.subject])
            }
        }
    }

    /// Nobody could log in as a user to whom nothing leads: what each of the two has would be lost.
    ///
    /// - Parameters:
    ///   - left: The user that went.
    ///   - user: The user that stayed, as it was before anything was given back.
    /// - Throws: `lastWayIn`, `storageUnavailable`.
    fileprivate func requireWaysIn(_ left: Identifier<User>, _ user: User) throws(DomainError) {
        guard let back = try self.user(left, in: user.application), back.hasWayIn(without: [], by: nil),
            let stayed = try self.user(user.id, in: user.application),
            stayed.hasWayIn(without: [], by: nil) || !user.hasWayIn(without: [], by: nil)
        else { throw .lastWayIn }
    }

    /// Ends what may have come to the user that stayed by an id of a client that goes back: keys that took a session of it over,
    /// and further sessions. The client would be in the account by them for ever. Keys stay where nothing else leads to the user.
    ///
    /// - Parameters:
    ///   - merge: The one that is undone.
    ///   - user: The user that stayed. Changed too.
    ///   - kept: What the caller uses.
    ///   - now: When.
    /// - Throws: `storageUnavailable`.
    fileprivate func endWhatCameBySession(
        since merge: Merge, of user: inout User, keeping kept: KeptAccess, at now: Timestamp
    ) throws(DomainError) {
        let (moved, ways) = (merge.moved.identities, Session.LogInMethod.bySession)
        guard moved.contains(where: { $0.provider == .anonymous }) else { return }
        let joined = user.identities.filter { identity in
            guard let way = identity.joinedBy, identity.provider == .device, identity.subject != kept.deviceKey,
                identity.linkedAt >= merge.mergedAt, !moved.contains(where: { $0.isSame(as: identity) })
            else { return false }
            return ways.contains(way)
        }
        let going = user.identities.filter { identity in moved.contains { $0.isSame(as: identity) } }
        if user.hasWayIn(without: joined + going, by: nil) {
            for key in joined { try unlinkForGood(key, of: &user, because: .init(.mergeUndone), at: now) }
            _ = try endSessions(of: user.id, in: user.application, deviceKeys: Set(joined.map(\.subject)))
        }
        for session in try sessions(of: user.id, in: user.application)
        where session.createdAt >= merge.mergedAt && session.id != kept.session && ways.contains(session.method) {
            _ = try endSession(session.id, of: user.id, in: user.application)
        }
    }
}

extension Merge.Moved {
    /// Gives a user the values of before, where they are still those that the merge gave.
    fileprivate func takeBack(from user: inout User) {
        if user.displayName == after.displayName { user.displayName = before.displayName }
        if user.locale == after.locale { user.locale = before.locale }
        for name in after.fields.keys where user.fields[name] == after.fields[name] {
            user.fields[name] = before.fields[name]
        }
    }
}
