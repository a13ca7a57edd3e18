/// Links a person whom a provider vouches for to the user of the session. The user's id stays (complaint 5). Ask
/// `RequirePresence` before.
package struct LinkProvider: Sendable {
    let store: any Store
    let clock: any WallClock
    let findProvider: FindProvider
    let sealingKey: SealingKey

    /// - Parameters:
    ///   - name: The provider.
    ///   - credential: What the provider gave.
    ///   - displayName: The name that came with it, taken when the user has none (complaint 21).
    ///   - who: The session.
    /// - Returns: the user afterwards; unchanged when this identity was linked already.
    /// - Throws: `identityTaken` when it leads to somebody else: then neither token nor code were used up.
    ///   `providerAlreadyLinked` when the user has another identity there; `fieldsRefused`,
    ///   `userUnknown`, and what the provider refuses.
    package func callAsFunction(
        _ name: Identity.Provider, _ credential: ProviderCredential, displayName: String?, by who: Authenticated
    ) async throws(DomainError) -> User {
        let now = clock.now
        let faults = ProfileRules.faults(displayName: displayName, locale: nil, fields: [:])
        guard faults.isEmpty else {
            throw .fieldsRefused(faults.map { FieldFault(field: "user.\($0.field)", rule: $0.rule) })
        }
        let (userId, application) = (who.user.id, who.application.id)
        let found = try await findProvider(name, in: application)
        var identified = try await found.provider.identify(credential, for: found.configured)
        if let person = identified {
            // Before the code is spent: whoever is refused here can still log in with both (complaint 4). And whoever
            // repeats a link, because the answer got lost, gets it again.
            let linked = try await store.read { transaction throws(DomainError) -> User? in
                let user = try linkable(person, to: userId, in: application, transaction)
                guard let replay = person.replay, try transaction.wasUsed(replay.digest, in: application) else {
                    return nil
                }
                guard user.identities.contains(where: { $0.provider == name }) else { throw .providerTokenReplayed }
                return user
            }
            if let linked { return linked }
        }
        if let code = credential.code {
            identified = try await found.provider.redeem(
                code, nonce: credential.nonce, of: identified, for: found.configured)
        }
        guard let person = identified else { throw .providerTokenRefused(.malformed) }
        let sealedGrant = try person.refreshToken.map { token throws(DomainError) in
            try sealingKey.seal(
                Array(token.revealed.utf8), purpose: ProviderAccount.purpose(person.provider, in: application))
        }
        return try await store.write { transaction throws(DomainError) in
            var user = try linkable(person, to: userId, in: application, transaction)
            try transaction.markUsed(person.replay, in: application)
            if !user.identities.contains(where: { $0.provider == name }) {
                let identity = Identity(provider: name, subject: person.subject, linkedAt: now)
                try transaction.insert(identity, for: userId, in: application)
                user.identities.append(identity)
                user.updatedAt = now
                try transaction.updateProfile(of: user)
            }
            try transaction.complete(
                &user, displayName: displayName ?? person.greeting, email: person.email, at: now)
            try transaction.keepAccount(of: person, sealedGrant: sealedGrant, in: application, at: now)
            return user
        }
    }

    /// The user, when the person can be linked to it or is already.
    private func linkable(
        _ person: ProviderPerson, to id: Identifier<User>, in application: Identifier<Application>,
        _ transaction: any Transaction
    ) throws(DomainError) -> User {
        if let owner = try transaction.user(
            provider: person.provider, subject: person.subject, in: application), owner.id != id
        {
            throw .identityTaken
        }
        guard let user = try transaction.user(id, in: application) else { throw .userUnknown }
        if let present = user.identities.first(where: { $0.provider == person.provider }),
            present.subject != person.subject
        {
            throw .providerAlreadyLinked
        }
        return user
    }
}
