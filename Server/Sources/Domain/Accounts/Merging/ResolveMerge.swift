/// Uses a ticket: keeps the current user, goes on as the other, or lets the other take over everything of the current.
/// One transaction; a ticket counts once, whatever is chosen. `keep` again, because the response got lost, answers the same: the
/// session of the request is there still, which the other choices end.
package struct ResolveMerge: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let issuers: SessionIssuers
    let changes: AccountChanges

    package struct Resolution: Sendable {
        package var user: User
        /// The session of the other user; `nil` when the current one was kept.
        package var logIn: LogIn?
        /// The merge, to be undone by; `nil` when there was none.
        package var merge: Identifier<Merge>?
        /// The user that was left or went; `nil` when the current one was kept.
        package var leftUser: RedeemTransferCode.LeftUser?
    }

    /// - Throws: `mergeTicketRefused`, also when it was used or when one of the users is gone; `fieldsRefused` when
    ///   both together break a limit; `alreadyRegistered` for the merge of a current user that is
    ///   not anonymous; `storageUnavailable`.
    package func callAsFunction(
        _ ticket: String, _ choice: MergeChoice, by who: Authenticated, address: ClientAddress,
        from origin: RequestOrigin
    ) async throws(DomainError) -> Resolution {
        let work = try MergeWork(
            who: who, now: clock.now, choice: choice, id: randomness.newIdentifier(at: clock.now),
            issuer: issuers.issuer(
                for: .init(
                    who.application, who.session.protocolName, by: .merge,
                    on: .init(deviceKey: who.session.deviceKey, device: who.session.device, address: address.text),
                    record: .nothing),
                at: clock.now),
            ready: changes.audit.ready(
                [choice.change], in: who.application.id,
                by: .owner(who, isProven: false, from: origin).showing(.mergeTicket), at: clock.now),
            excess: changes.audit.excessDeviceKeys(in: who.application.id, at: clock.now))
        return try await store.write { transaction throws(DomainError) in try work.run(ticket, in: transaction) }
    }
}

/// A ticket that is being used: everything but the transaction.
private struct MergeWork: Sendable {
    let who: Authenticated
    let now: Timestamp
    let choice: MergeChoice
    let id: Identifier<Merge>
    let issuer: SessionIssuer
    let ready: ReadyChanges
    /// What the device keys leave that are more than one user may have.
    let excess: ReadyChanges

    private var application: Application { who.application }

    func run(_ text: String, in transaction: any Transaction) throws(DomainError) -> ResolveMerge.Resolution {
        let mark = kept(text)
        if choice == .keep, try transaction.wasUsed(mark, in: application.id),
            let user = try transaction.user(who.user.id, in: application.id)
        {
            try ready.author.requireSession(in: transaction)
            return ResolveMerge.Resolution(user: user)
        }
        var (ticket, current, other) = try transaction.parties(of: text, who, at: now)
        try transaction.remove(ticket)
        if choice == .keep { _ = try transaction.markUsed(mark, in: application.id) }
        try ready.settle(
            [choice.change: [AccountChange.leftUserDetail: current.id.rawValue]], of: &other, keeping: .nothing,
            by: .holder(of: other.id), in: transaction)
        switch choice {
        case .keep: return ResolveMerge.Resolution(user: current)
        case .switch: return try leave(current, for: other, shownBy: ticket.shownBy, in: transaction)
        case .merge: return try bring(current, into: other, shownBy: ticket.shownBy, in: transaction)
        }
    }

    /// What is remembered for a day of a ticket with which the current user was kept, as of an attempt that has a name.
    private func kept(_ text: String) -> UsedProof {
        UsedProof(
            .attemptedRequest,
            SecretDigest(of: Array("merge kept \(who.user.id) ".utf8) + MergeTicket.digest(of: text).bytes),
            until: now + RememberAttempt.memory)
    }

    /// Only the device goes over: its key, when it was the current user's.
    private func leave(
        _ current: User, for other: User, shownBy method: Session.LogInMethod?, in transaction: any Transaction
    ) throws(DomainError) -> ResolveMerge.Resolution {
        var (left, user) = (current, other)
        if let key = who.session.deviceKey,
            let identity = current.identities.first(where: { $0.provider == .device && $0.subject == key })
        {
            user.identities.append(
                try transaction.move(
                    identity, from: current.id, to: other.id, in: application.id, by: method, at: now))
            try transaction.removeExcessDeviceKeys(of: &user, keeping: key, recording: excess)
            left.identities.removeAll { $0 == identity }
            _ = try transaction.endSessions(of: current.id, in: application.id, deviceKeys: [key])
        }
        _ = try transaction.endSession(who.session.id, of: current.id, in: application.id)
        var erasedAt: Timestamp?
        if left.isOutOfReach {
            try transaction.leaveBehind(&left, since: now, at: now)
            erasedAt = now + application.settings.deletionGrace
        }
        let logIn = try issuer.issue(to: user, in: transaction)
        return .init(user: logIn.user, logIn: logIn, leftUser: .init(id: left.id, erasedAt: erasedAt))
    }

    private func bring(
        _ current: User, into other: User, shownBy method: Session.LogInMethod?, in transaction: any Transaction
    ) throws(DomainError) -> ResolveMerge.Resolution {
        // What leads to a registered user stays with it: its owner can switch, and link what is wanted.
        guard current.isAnonymous else { throw .alreadyRegistered }
        let joined = try UserMerger(application: application, id: id, now: now, excess: excess, shownBy: method)
            .join(current, into: other, in: transaction)
        let logIn = try issuer.issue(to: joined.user, in: transaction)
        return .init(
            user: logIn.user, logIn: logIn, merge: id,
            leftUser: .init(
                id: joined.left.id,
                erasedAt: joined.left.deletionRequestedAt.map {
                    $0 + application.settings.deletionGrace
                }))
    }
}
