extension Transaction {
    /// Ends what came by identities that lead to the user no more, where the owner or an operator took them away: device keys, and
    /// sessions that say nothing of the provider by themselves. Who had such a way in would stay by them.
    ///
    /// - Parameters:
    ///   - providers: Of the identities that were taken away.
    ///   - user: Whose, without them. Changed too.
    ///   - kept: What the caller uses.
    ///   - open: What lets users in now; `nil` for all ways.
    ///   - change: By which they went, as the devices learn it at their next log-in.
    ///   - now: When.
    /// - Returns: how much ended.
    /// - Throws: `storageUnavailable`.
    func endAccess(
        by providers: Set<Identity.Provider>, of user: inout User, keeping kept: KeptAccess,
        whereOpen open: WorkingWays?, because change: AccountChange, at now: Timestamp
    ) throws(DomainError) -> Evicted {
        // An id that a client made ends by itself, and says nothing of what else came before.
        let isRegistered = providers.contains(where: \.registers)
        let lost = isRegistered ? try waysLost(to: user) : []
        var ended = try endKeys(
            joinedBy: providers, or: lost, of: &user, keeping: kept, whereOpen: open, because: .init(change), at: now)
        ended.sessions += try endSessions(openedBy: lost, of: user, keeping: kept, whereOpen: open)
        if isRegistered {
            // A merge opens a session without a key too, by the identity that was shown for it: none that a client made.
            ended.sessions += try endSessions(
                of: user.id, openedBy: .merge, in: user.application, except: kept.session)
            // Who shows it in a session gets the session's token, whatever had opened it (decision 0281).
            ended.sessions += try endSessions(
                of: user.id, showing: AuthenticationMethods(showing: providers), in: user.application,
                except: kept.session)
        }
        ended.sessions += try endSessionsBySession(without: providers, of: user, keeping: kept, whereOpen: open)
        return ended
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
    fileprivate func endKeys(
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
    fileprivate func endSessionsBySession(
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
    fileprivate func waysLost(to user: User) throws(DomainError) -> Set<Identity.Provider> {
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
    fileprivate func endSessions(
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
