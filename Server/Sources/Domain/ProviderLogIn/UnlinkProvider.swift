/// Unlinks a provider from the user of the session. The provider is told to end its grant, as soon as it can be reached.
package struct UnlinkProvider: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness

    /// - Returns: the user afterwards.
    /// - Throws: `identityUnknown` when there is none, `lastWayIn` when nothing else leads to the user, `userUnknown`,
    ///   `storageUnavailable`.
    package func callAsFunction(
        _ provider: Identity.Provider, by who: Authenticated
    ) async throws(DomainError) -> User {
        let now = clock.now
        let revocation: Identifier<ProviderRevocation> = randomness.newIdentifier(at: now)
        let (id, application) = (who.user.id, who.application.id)
        return try await store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
            guard let identity = user.identities.first(where: { $0.provider == provider }) else {
                throw .identityUnknown
            }
            guard user.hasWayIn(without: identity) else { throw .lastWayIn }
            try transaction.unlink(identity, of: id, in: application, revocation: revocation, at: now)
            user.identities.removeAll { $0 == identity }
            user.updatedAt = now
            try transaction.updateProfile(of: user)
            return user
        }
    }
}

extension User {
    /// Whether something else than an identity leads to the user.
    func hasWayIn(without identity: Identity) -> Bool {
        identities.contains { $0 != identity }
    }
}
