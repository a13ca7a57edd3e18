/// One user takes over everything of another, in a transaction that is under way.
struct UserMerger: Sendable {
    let application: Application
    let id: Identifier<Merge>
    let now: Timestamp
    /// What the device keys leave that are more than one user may have.
    let excess: ReadyChanges
    /// By what the caller proved to be the user that stays; `nil` for an operator.
    var shownBy: Session.LogInMethod?

    /// - Returns: the user that stays, and the one that went. That one stays out of reach for as long as the merge can
    ///   be undone.
    /// - Throws: `fieldsRefused` when both together break a limit, `storageUnavailable`.
    func join(
        _ current: User, into other: User, in transaction: any Transaction
    ) throws(DomainError) -> (user: User, left: User) {
        var user = MergeRules(application.settings).merged(other, with: current)
        let faults = ProfileRules.faults(
            displayName: user.displayName, locale: user.locale, fields: user.fields,
            within: application.settings.fieldRules.limits)
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        try other.requireRoom(for: current.identities)
        for identity in current.identities {
            user.identities.append(
                try transaction.move(
                    identity, from: current.id, to: other.id, in: application.id, by: shownBy, at: now))
        }
        try transaction.removeExcessDeviceKeys(of: &user, keeping: nil, recording: excess)
        user.updatedAt = now
        try transaction.updateProfile(of: user)
        let transfers = try transaction.moveTransfers(of: current.id, to: other.id, in: application.id)
        try transaction.insert(
            Merge(
                id: id, application: application.id, user: user.id, leftUser: current.id,
                moved: .init(
                    identities: current.identities, before: .init(other), after: .init(user), transfers: transfers),
                mergedAt: now))
        var left = current
        let grace = application.settings.deletionGrace
        try transaction.leaveBehind(
            &left, since: grace < Merge.undoSpan ? now + (Merge.undoSpan - grace) : now, at: now)
        return (user, left)
    }
}

extension Transaction {
    /// Lets the devices that joined a user by a transfer code be news, and be undone, where their keys lead from now on. The
    /// newest stay of both users together, as of one.
    ///
    /// - Returns: those that moved.
    /// - Throws: `storageUnavailable`.
    fileprivate func moveTransfers(
        of current: Identifier<User>, to other: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> [Identifier<Transfer>] {
        let transfers = try transfers(of: current, in: application)
        guard !transfers.isEmpty else { return [] }
        for transfer in transfers { try move(transfer, to: other) }
        try removeExcessTransfers(of: other, in: application)
        return transfers.map(\.id)
    }

    /// Lets an identity lead to another user. A device's key, or an id of a client, joins that one by what the caller showed, and ends with
    /// it.
    ///
    /// - Throws: `storageUnavailable`.
    func move(
        _ identity: Identity, from current: Identifier<User>, to other: Identifier<User>,
        in application: Identifier<Application>, by method: Session.LogInMethod?, at now: Timestamp
    ) throws(DomainError) -> Identity {
        _ = try remove(identity.provider, subject: identity.subject, of: current, in: application)
        var moved = identity
        moved.linkedAt = now
        // What it passed was the other user's.
        moved.secondFactorAt = nil
        if !identity.provider.registers, let method { moved.joinedBy = method }
        try insert(moved, for: other, in: application)
        return moved
    }
}
