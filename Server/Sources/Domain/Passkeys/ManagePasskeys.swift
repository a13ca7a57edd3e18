/// A user's passkeys, for the user and for operators.
package struct ManagePasskeys: Sendable {
    let store: any Store
    let clock: any WallClock
    let changes: AccountChanges
    let pages: ProofTarget?

    /// - Returns: oldest first.
    /// - Throws: `userUnknown`, `storageUnavailable`.
    package func list(
        of id: Identifier<User>, in application: Identifier<Application>
    ) async throws(DomainError) -> [Passkey] {
        try await store.read { transaction throws(DomainError) in
            guard try transaction.user(id, in: application) != nil else { throw .userUnknown }
            return try transaction.passkeys(of: id, in: application)
        }
    }

    /// What the user's client can let authenticators know.
    ///
    /// - Throws: `passkeysNotEnabled`.
    package func signals(
        of user: User, _ passkeys: [Passkey], in application: Application
    ) throws(DomainError) -> PasskeySignals {
        try PasskeySignals(of: user, passkeys, in: application, pages: pages)
    }

    /// - Throws: `fieldsRefused`, `passkeyUnknown` when the user has no such passkey, `userUnknown`, `storageUnavailable`.
    package func rename(
        _ passkey: String, of id: Identifier<User>, in application: Application, to name: String,
        by author: AccountAuthor
    ) async throws(DomainError) -> Passkey {
        let faults = Passkey.faults(name: name)
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        let ready = try await ready(.passkeyRenamed, of: id, in: application, by: author)
        return try await store.write { transaction throws(DomainError) in
            var (user, _) = try transaction.holder(of: passkey, id, in: application.id)
            guard var found = try transaction.passkey(passkey, in: application.id) else { throw .passkeyUnknown }
            guard found.name != name else { return found }
            found.name = name
            try transaction.updateName(of: found)
            try ready.settle([.passkeyRenamed: [:]], of: &user, keeping: author.kept, in: transaction)
            return found
        }
    }

    /// - Throws: `reauthenticationRequired`, `passkeyUnknown` when the user has no such passkey, `lastWayIn` when nothing
    ///   else leads to the user, `userUnknown`, `storageUnavailable`.
    package func remove(
        _ passkey: String, of id: Identifier<User>, in application: Application, by author: AccountAuthor
    ) async throws(DomainError) {
        let ready = try await ready(.passkeyRemoved, of: id, in: application, by: author)
        let now = clock.now
        try await store.write { transaction throws(DomainError) in
            var (user, identity) = try transaction.holder(of: passkey, id, in: application.id)
            let ways = try transaction.workingWays(of: application, hasMail: changes.hasMail)
            guard user.hasWayIn(without: [identity], by: ways) else { throw .lastWayIn }
            try transaction.unlinkForGood(identity, of: &user, because: .init(.passkeyRemoved), at: now)
            user.updatedAt = now
            try transaction.updateProfile(of: user)
            // The sessions that passkeys opened end, but for the caller's: the one that is removed may have been stolen.
            try ready.settle(
                [.passkeyRemoved: [:]], of: &user, keeping: author.kept, unlinked: [identity], whereOpen: ways,
                in: transaction)
        }
    }

    private func ready(
        _ change: AccountChange, of id: Identifier<User>, in application: Application, by author: AccountAuthor
    ) async throws(DomainError) -> ReadyChanges {
        let known = try await store.read { transaction throws(DomainError) in
            try transaction.user(id, in: application.id)
        }
        guard let known else { throw .userUnknown }
        return try changes.ready([change], of: known, in: application, by: author, at: clock.now)
    }
}

extension Transaction {
    /// A user and the identity by which one of their passkeys leads to them.
    fileprivate func holder(
        of passkey: String, _ id: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> (User, Identity) {
        guard let user = try user(id, in: application) else { throw .userUnknown }
        guard let identity = user.identities.first(where: { $0.provider == .passkey && $0.subject == passkey }) else {
            throw .passkeyUnknown
        }
        return (user, identity)
    }
}
