/// A kind of way into an account that somebody may have taken, begun or stolen before a change. The list of all that a
/// change can end: what is not here stays.
package enum Eviction: String, CaseIterable, Hashable, Sendable {
    /// Sessions of every protocol and of the pages, with their refresh tokens and what repeats the log-ins that opened
    /// them.
    case sessions
    /// Keys by which devices log in automatically.
    case deviceKeys
    /// Ids that clients made, by which they log in.
    case anonymousIds
    /// Codes and links that were mailed or texted: to log in, to set a password, to verify an address. Not the link that gives a
    /// former address back: who took the account over would end it by the next change.
    case mailedCodes
    case transferCodes
    /// Tickets for a merge, whichever of the two users it is.
    case mergeTickets
    /// What is sealed or ordered and not stored with the user: authorization codes, tickets of the pages, ways to a
    /// provider and back, log-ins that lack the second factor, keys of authenticator apps that are not confirmed, and orders
    /// for messages that verify an address.
    case tickets
    /// Addresses and numbers that wait to take the place of the present ones, or to be the first. An order of before there was
    /// a second factor ends with them, though its message is not written yet (decision 0203).
    case newAddresses
    /// What the user logs in with, as a password is.
    case passkeys
    /// Links that give a former address back (decision 0251).
    case emailRecoveries

    /// Everything but what the user logs in with, and what gives a former address back.
    package static let everything = Set(allCases).subtracting([.passkeys, .emailRecoveries])
}

/// What an eviction ended.
package struct Evicted: Hashable, Sendable {
    package var sessions = 0
    package var deviceKeys = 0

    static func += (total: inout Evicted, part: Evicted) {
        total.sessions += part.sessions
        total.deviceKeys += part.deviceKeys
    }

    /// For the audit log.
    var details: [String: String] { ["count": String(sessions), "device-keys": String(deviceKeys)] }
}

extension Transaction {
    /// Ends the ways into an account that end with a change. No other code does.
    ///
    /// Device keys and ids of clients stay when nothing else leads to the user: an account is never lost by it. For the
    /// same reason a user who has nothing but sessions keeps them when an operator keeps the user out for a time: they
    /// are refused meanwhile. An id that a client made counts for nothing there, because most SDKs never send it again
    /// (decision 0233).
    ///
    /// - Parameters:
    ///   - change: What is done.
    ///   - user: To whom, as read in this transaction. Changed too.
    ///   - kept: What the caller uses.
    ///   - now: When.
    /// - Returns: how much ended.
    /// - Throws: `storageUnavailable`.
    func evict(
        by change: AccountChange, from user: inout User, keeping kept: KeptAccess, at now: Timestamp
    ) throws(DomainError) -> Evicted {
        let ways = change.policy.evicts
        guard !ways.isEmpty else { return Evicted() }
        var evicted = Evicted()
        let (id, application) = (user.id, user.application)
        let hasOnlySessions = !user.hasWayIn(without: user.identities.filter { $0.provider == .anonymous }, by: nil)
        let going = try withUsedIds(user.identities.filter { ways.holds($0) && !kept.holds($0) }, of: user)
        var removedKeys: Set<String> = []
        if user.hasWayIn(without: going, by: nil) {
            removedKeys = Set(going.filter { $0.provider == .device }.map(\.subject))
            evicted.deviceKeys = removedKeys.count
            if !removedKeys.isEmpty {
                try removeDeviceKeys(
                    of: id, in: application, except: kept.deviceKey, because: RemovedDeviceKey.Reason(change), at: now)
            }
            for identity in going where identity.provider != .device {
                try remove(identity, of: id, in: application)
            }
            let gone = Set(going)
            user.identities.removeAll { gone.contains($0) }
        }
        if ways.contains(.sessions), !(hasOnlySessions && change == .disabled) {
            evicted.sessions = try endSessions(of: id, in: application, except: kept.session)
        } else if ways.contains(.deviceKeys) {
            evicted.sessions = try endSessions(of: id, in: application, deviceKeys: removedKeys)
        }
        if ways.contains(.mailedCodes) { _ = try removeCodes(of: id, in: application, except: kept.code) }
        if ways.contains(.emailRecoveries) { try removeCode(of: .emailRecovery, user: id, in: application) }
        if ways.contains(.transferCodes) { _ = try removeTransferCode(of: id, in: application) }
        if ways.contains(.mergeTickets) { _ = try removeMergeTickets(of: id, in: application) }
        if ways.contains(.tickets) { try voidTickets(of: &user) }
        // With all other codes they have ended above.
        if ways.contains(.newAddresses), !ways.contains(.mailedCodes) {
            try removeNewAddresses(of: user, withPresent: ways.contains(.tickets))
        }
        return evicted
    }

    /// Ends codes that verify addresses.
    ///
    /// - Parameters:
    ///   - user: Whose.
    ///   - withPresent: Whether those of the present addresses end too, as orders for them do: written or not, they end together.
    /// - Throws: `storageUnavailable`.
    private func removeNewAddresses(of user: User, withPresent: Bool) throws(DomainError) {
        for kind in [MailKind.emailVerification, .phoneVerification] {
            let waiting = try mailedAddress(of: kind, user: user.id, in: user.application)?.address
            let isNew = waiting.map { $0 != user.identifier(kind.addressKind) } ?? false
            if withPresent || isNew { try removeCode(of: kind, user: user.id, in: user.application) }
        }
    }

    /// Ends one session that somebody put out, or that was found to be stolen, with what it may have begun: the user's transfer code, and
    /// another address that it ordered.
    ///
    /// - Returns: `false` when the user has no such session any more.
    /// - Throws: `storageUnavailable`.
    func endForGood(
        _ session: Identifier<Session>, of owner: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        guard try endSession(session, of: owner, in: application) else { return false }
        if let user = try user(owner, in: application) {
            _ = try removeTransferCode(of: owner, in: application)
            try removeNewAddressesOfEndedSessions(of: user)
        }
        return true
    }

    /// Ends codes for another address that were ordered in a session that is there no more: a session or a device that is put out is
    /// taken for a thief's, who would come back by the address. Those of other sessions stay.
    ///
    /// - Parameter user: Whose, after the sessions have ended.
    /// - Throws: `storageUnavailable`.
    func removeNewAddressesOfEndedSessions(of user: User) throws(DomainError) {
        for kind in [MailKind.emailVerification, .phoneVerification] {
            guard let waiting = try mailedAddress(of: kind, user: user.id, in: user.application),
                waiting.address != user.identifier(kind.addressKind), let origin = waiting.origin,
                try session(orderingBy: origin, of: user) == nil
            else { continue }
            try removeCode(of: kind, user: user.id, in: user.application)
        }
    }

    /// Identities that end, with the ids of devices that count for their keys alone: once such a key is gone, its id is no
    /// way in.
    ///
    /// - Throws: `storageUnavailable`.
    func withUsedIds(_ going: [Identity], of user: User) throws(DomainError) -> [Identity] {
        let keys = going.filter { $0.provider == .device }.map(\.subject)
        guard !keys.isEmpty else { return going }
        let gone = Set(going)
        let staying = user.identities.filter { !gone.contains($0) }
        return try going + OldDeviceId.used(among: staying, byOneOf: keys, of: user, in: self)
    }

    /// Lets an identity without a provider lead to nobody. Of a device key it is remembered, so that its owner gets a notice.
    ///
    /// - Throws: `storageUnavailable`.
    func unlinkForGood(
        _ identity: Identity, of user: inout User, because reason: RemovedDeviceKey.Reason, at now: Timestamp
    ) throws(DomainError) {
        try remove(identity, of: user.id, in: user.application)
        user.identities.removeAll { $0 == identity }
        guard identity.provider == .device else { return }
        try keep(
            RemovedDeviceKey(
                application: user.application, thumbprint: identity.subject, user: user.id, reason: reason,
                removedAt: now))
    }
}

extension Set<Eviction> {
    fileprivate func holds(_ identity: Identity) -> Bool {
        switch identity.provider {
        case .device: contains(.deviceKeys)
        case .anonymous: contains(.anonymousIds)
        case .passkey: contains(.passkeys)
        default: false
        }
    }
}
