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

/// What stays of the ways into an account when it is changed: those that the caller uses.
package struct KeptAccess: Hashable, Sendable {
    package var session: Identifier<Session>?
    /// The thumbprint of the key that the session is bound to.
    package var deviceKey: String?
    /// The handle of the code by which the change is made, so that its repetition is known.
    var code: SecretDigest?
    /// What the session came from, as `Session.origin` has it: the key of an app that opened the pages for its user.
    private var origin: String?

    init(session: Identifier<Session>?, deviceKey: String?, code: SecretDigest? = nil) {
        self.session = session
        self.deviceKey = deviceKey
        self.code = code
    }

    /// The session of a request, and the key that it is bound to.
    package init(_ who: Authenticated) {
        self.init(session: who.session.id, deviceKey: who.session.deviceKey)
        origin = who.session.origin
    }

    /// Nothing: for operators, and for callers who log in anew afterwards.
    package static let nothing = KeptAccess(session: nil, deviceKey: nil)

    fileprivate func holds(_ identity: Identity) -> Bool {
        identity.provider == .device && identity.subject == deviceKey
    }

    /// Whether the caller is at the device of a key, also on pages that its app opened.
    fileprivate func isAtDevice(of identity: Identity) -> Bool {
        holds(identity) || identity.provider == .device && identity.subject == origin
    }

    /// What leads to a user and may be out of the owner's reach: an id that a client made, as most SDKs never send it again, and to an
    /// owner who is at no device's key the keys of others, which may be those of lost phones (decision 0257).
    fileprivate func uncertain(of user: User) -> [Identity] {
        let isElsewhere = session != nil && !user.identities.contains { isAtDevice(of: $0) }
        return user.identities.filter { $0.provider == .anonymous || isElsewhere && $0.provider == .device }
    }
}

/// What an eviction ended.
package struct Evicted: Hashable, Sendable {
    package var sessions = 0
    package var deviceKeys = 0

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

    /// Ends device keys that joined by ways that lead to the user no more: who had such a way would stay by the key. So would who
    /// gave a device of their own a transfer code by it (decision 0257), and whose client's id a merge has brought along. The caller's
    /// own key stays, also where its app has opened the pages, and all of them where nothing else certainly lets the user in
    /// (`KeptAccess.uncertain`).
    ///
    /// - Parameters:
    ///   - gone: What leads to the user no more.
    ///   - lost: What led there before, or never did (`waysLost`).
    ///   - user: Whose, without it. Changed too.
    ///   - kept: What the caller uses.
    ///   - open: What lets users in now; `nil` for all ways.
    ///   - reason: What their devices learn at their next log-in.
    ///   - now: When.
    /// - Returns: how much ended.
    /// - Throws: `storageUnavailable`.
    func endKeys(
        joinedBy gone: Set<Identity.Provider>, or lost: Set<Identity.Provider>, of user: inout User,
        keeping kept: KeptAccess, whereOpen open: WorkingWays?, because reason: RemovedDeviceKey.Reason,
        at now: Timestamp
    ) throws(DomainError) -> Evicted {
        let joined = user.identities.filter { identity in
            !identity.provider.registers && !kept.isAtDevice(of: identity)
                && (gone.contains { identity.mayHaveJoined(by: $0) } || lost.contains { identity.hasJoined(by: $0) })
        }
        guard !joined.isEmpty else { return Evicted() }
        let going = try withUsedIds(joined, of: user)
        guard user.hasWayIn(without: going + kept.uncertain(of: user), by: open) else { return Evicted() }
        for identity in going { try unlinkForGood(identity, of: &user, because: reason, at: now) }
        let keys = Set(joined.filter { $0.provider == .device }.map(\.subject))
        var sessions = try endSessions(of: user.id, in: user.application, deviceKeys: keys)
        if keys.count < joined.count {
            sessions += try endSessions(
                of: user.id, openedBy: .anonymous, in: user.application, except: kept.session)
        }
        return Evicted(sessions: sessions, deviceKeys: keys.count)
    }

    /// Ends sessions that came by a session of an old protocol, where a provider's identity is taken away: how that one was opened is
    /// not kept with them, and who came by the identity would stay by them, or come back with another key (decision 0270). All of
    /// them stay where nothing else certainly lets the user in, as keys do. A device whose key stays logs in by it.
    ///
    /// - Parameters:
    ///   - providers: What leads to the user no more.
    ///   - user: Whose, without it.
    ///   - kept: What the caller uses.
    ///   - open: What lets users in now; `nil` for all ways.
    /// - Returns: how many ended.
    /// - Throws: `storageUnavailable`.
    func endSessionsBySession(
        without providers: Set<Identity.Provider>, of user: User, keeping kept: KeptAccess, whereOpen open: WorkingWays?
    ) throws(DomainError) -> Int {
        guard providers.contains(where: \.opensOldSessions),
            user.hasWayIn(without: kept.uncertain(of: user), by: open)
        else { return 0 }
        var count = 0
        for method in Session.LogInMethod.bySession {
            count += try endSessions(of: user.id, openedBy: method, in: user.application, except: kept.session)
        }
        return count
    }

    /// The ways of log-in by which nobody comes to a user any more, while sessions and device keys may be there that came by them: who
    /// took such a way away was there by it, and kept the own session and key (decision 0280).
    ///
    /// - Parameter user: Whose, without what is taken away now.
    /// - Returns: the application's providers of which the user has no identity, and passkeys where there is none.
    /// - Throws: `storageUnavailable`.
    func waysLost(to user: User) throws(DomainError) -> Set<Identity.Provider> {
        let known = Set(try providers(of: user.application).map(\.settings.provider)).union([.passkey])
        return known.subtracting(user.identities.map(\.provider))
    }

    /// Whether nobody came to a user but by keys, and by ids of clients, as far as can be seen: to a guest, of whom no session and no key
    /// is there that came by a way of before (`waysLost`), or may have, and no session in which one was shown.
    ///
    /// - Throws: `storageUnavailable`.
    func isReachedByKeysAlone(_ user: User) throws(DomainError) -> Bool {
        guard user.isAnonymous else { return false }
        let lost = try waysLost(to: user)
        let sessions = try sessions(of: user.id, in: user.application)
        return !sessions.contains { session in
            lost.contains(Identity.Provider(rawValue: session.method.rawValue))
                || !session.methods.isDisjoint(with: [.provider, .passkey])
        } && !user.identities.contains { identity in lost.contains { identity.mayHaveJoined(by: $0) } }
    }

    /// Ends sessions that came by ways that led to the user before, where something else certainly lets the user in.
    ///
    /// - Parameters:
    ///   - lost: Those ways (`waysLost`).
    ///   - user: Whose.
    ///   - kept: What the caller uses.
    ///   - open: What lets users in now; `nil` for all ways.
    /// - Returns: how many ended.
    /// - Throws: `storageUnavailable`.
    func endSessions(
        openedBy lost: Set<Identity.Provider>, of user: User, keeping kept: KeptAccess, whereOpen open: WorkingWays?
    ) throws(DomainError) -> Int {
        guard user.hasWayIn(without: kept.uncertain(of: user), by: open) else { return 0 }
        // One look for all of them: an application may have a hundred, and everybody waits.
        let present = Set(try sessions(of: user.id, in: user.application).map(\.method.rawValue))
        var count = 0
        // In order, so that what is simulated happens in the same way again.
        for provider in lost.sorted(by: { $0.rawValue < $1.rawValue }) where present.contains(provider.rawValue) {
            count += try endSessions(
                of: user.id, openedBy: Session.LogInMethod(rawValue: provider.rawValue), in: user.application,
                except: kept.session)
        }
        return count
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

extension Identity {
    /// Whether a device key, or an id of a client, may have come to its user by an identity of a provider: by a log-in with it, or by
    /// a merge for which it was shown; by a transfer code, which names no way of log-in; by a further session of an old protocol; or by
    /// one that a merge opened, which lets a key join over the pages, whatever way the user had come.
    fileprivate func mayHaveJoined(by provider: Provider) -> Bool {
        guard let joinedBy else { return false }
        if joinedBy == .transferCode || joinedBy == .merge { return provider.registers }
        if Session.LogInMethod.further.contains(joinedBy) { return provider.opensOldSessions }
        return hasJoined(by: provider)
    }

    /// Whether one came by a log-in with an identity of a provider, or by a merge for which it was shown.
    fileprivate func hasJoined(by provider: Provider) -> Bool { joinedBy?.rawValue == provider.rawValue }
}

extension Identity.Provider {
    /// Whether apps of old protocols log in by it.
    fileprivate var opensOldSessions: Bool { registers && self != .passkey }
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
