/// Unlinks a provider from the user of the session. The provider is told to end its grant, as soon as it can be reached.
/// Ask `RequireRecentLogIn` before.
package struct UnlinkProvider: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let changes: AccountChanges

    /// - Returns: the user afterwards.
    /// - Throws: `identityUnknown` when there is none, `lastWayIn` when nothing else leads to the user,
    ///   `userUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ provider: Identity.Provider, by who: Authenticated, from origin: RequestOrigin
    ) async throws(DomainError) -> User {
        let now = clock.now
        let revocation: Identifier<ProviderRevocation> = randomness.newIdentifier(at: now)
        let (id, application) = (who.user.id, who.application.id)
        let ready = try changes.ready(
            [.identityUnlinked], of: who.user, in: who.application, by: Operator(actor: .user(id), origin: origin),
            at: now)
        return try await store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
            guard let identity = user.identities.first(where: { $0.provider == provider }) else {
                throw .identityUnknown
            }
            guard user.hasWayIn(without: [identity]) else { throw .lastWayIn }
            try transaction.unlink(identity, of: id, in: application, revocation: revocation, at: now)
            user.identities.removeAll { $0 == identity }
            user.updatedAt = now
            try transaction.updateProfile(of: user)
            try ready.settle(
                [.identityUnlinked: ["provider": provider.rawValue]], of: &user, keeping: KeptAccess(who),
                unlinked: [provider], in: transaction)
            return user
        }
    }
}

extension User {
    /// Whether something else than some identities leads to the user: another identity, a password that belongs to
    /// something one can type, or a mail address to send a code to, unless the provider relays it.
    func hasWayIn(without removed: [Identity]) -> Bool {
        if identities.contains(where: { !removed.contains($0) }) { return true }
        if hasPassword && !typedIdentifiers.isEmpty { return true }
        return emailVerifiedAt != nil && !hasRelayedEmail
    }

    /// Whether Apple hides the person's own address behind this one (requirement 37). Mail arrives only as long as the
    /// person lets the application's mail through, and it is nobody's to be recognised by.
    package var hasRelayedEmail: Bool {
        email?.lowercased().hasSuffix("@privaterelay.appleid.com") ?? false
    }
}
