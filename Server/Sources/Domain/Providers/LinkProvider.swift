/// Links a person whom a provider vouches for to the user of the session. The user's id stays (complaint 5).
package struct LinkProvider: Sendable {
    let store: any Store
    let clock: any WallClock
    let findProvider: FindProvider
    let offerMerge: OfferMerge
    let editUser: EditUser

    /// How a person stands to the user who shall be linked.
    private enum Standing: Sendable {
        /// There is something to write: the identity, or what a new token tells of one that is linked.
        case open(User)
        case linked(User)
        /// The identity leads to somebody else. Whether the token was used before decides if it still proves anything.
        case taken(by: Identifier<User>, isTokenUsed: Bool)
    }

    /// - Parameters:
    ///   - name: The provider.
    ///   - credential: What the provider gave.
    ///   - displayName: The name that came with it, taken when the user has none (complaint 21).
    ///   - who: The session.
    ///   - isProven: Whether the request came with a proof by the session's key; see `AccountAuthor`.
    ///   - origin: Where the request came from, for the audit log.
    /// - Returns: the user afterwards; unchanged when this identity was linked already.
    /// - Throws: `reauthenticationRequired`; `mergeOffered` when it leads to somebody else, whom the token has just proved: the ticket resolves it
    ///   without asking the person again, and neither token nor code were used up (complaints 2 and 4). `identityTaken`
    ///   when that user cannot be gone on with, or the token was used before. `providerAlreadyLinked` when the user has
    ///   another identity there; `fieldsRefused`, `userUnknown`, and what the provider refuses.
    package func callAsFunction(
        _ name: Identity.Provider, _ credential: ProviderCredential, displayName: String?, by who: Authenticated,
        isProven: Bool, from origin: RequestOrigin
    ) async throws(DomainError) -> User {
        let author = AccountAuthor.owner(who, isProven: isProven, from: origin)
        // Before a code is spent.
        try author.requireProof(of: .identityLinked, at: clock.now)
        let faults = ProfileRules.faults(displayName: displayName, locale: nil, fields: [:])
        guard faults.isEmpty else {
            throw .fieldsRefused(faults.map { ValidationError(field: "user.\($0.field)", rule: $0.rule) })
        }
        let application = who.application.id
        let found = try await findProvider(name, in: application)
        var identified = try await found.provider.identify(credential, for: found.configured)
        if let person = identified {
            // Before the code is spent: who is refused here can still log in with both (complaint 4). And who
            // repeats a link, because the answer got lost, gets it again.
            let standing = try await store.read { transaction throws(DomainError) in
                try Self.standing(of: person, to: who.user.id, in: application, transaction)
            }
            if let linked = try await settled(standing, name, who, author, origin) { return linked }
            try Self.refuseIncomplete(who, person)
        }
        if let code = credential.code {
            identified = try await found.provider.redeem(
                code, nonce: credential.nonce, of: identified, for: found.configured)
        }
        guard let person = identified else { throw .providerTokenRefused(.malformed) }
        let standing: Standing
        do throws(DomainError) {
            standing = try await link(person, displayName: displayName, by: who, author)
        } catch {
            let isGone = error.code == .userUnknown || error.code == .sessionInvalid
            if isGone { try await giveUpGrant(of: person, in: application) }
            throw error
        }
        guard let linked = try await settled(standing, name, who, author, origin) else { throw .storageUnavailable }
        return linked
    }

    /// What is required of a registered user must be there before a code is spent.
    private static func refuseIncomplete(_ who: Authenticated, _ person: ExternalIdentity) throws(DomainError) {
        var user = who.user
        user.identities.append(
            Identity(provider: person.provider, subject: person.subject, linkedAt: user.updatedAt))
        let faults = who.application.settings.fieldRules.settle(&user, from: who.user, named: [], by: .owner)
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
    }

    /// The user, when the identity is linked; `nil` when it is still to be done.
    private func settled(
        _ standing: Standing, _ provider: Identity.Provider, _ who: Authenticated, _ author: AccountAuthor,
        _ origin: RequestOrigin
    ) async throws(DomainError) -> User? {
        switch standing {
        case .open: return nil
        case .linked(let user): return user
        case .taken(let owner, let isTokenUsed):
            guard !isTokenUsed,
                let offer = try await offerMerge(
                    who, author, other: owner, by: .providerToken, cause: .identity(provider), from: origin)
            else { throw .identityTaken }
            throw .mergeOffered(offer)
        }
    }

    private func link(
        _ person: ExternalIdentity, displayName: String?, by who: Authenticated, _ author: AccountAuthor
    ) async throws(DomainError) -> Standing {
        let (now, id, application) = (clock.now, who.user.id, who.application.id)
        var edit = UserEdit()
        edit.people = [person]
        let ready = try await editUser.ready(edit, of: who.user, in: who.application, by: author)
        let taken = editUser.changes.audit.takenAddress(in: application, from: author.entry.origin, at: now)
        return try await store.write { transaction throws(DomainError) in
            // The person has the name of the present team from here on.
            _ = try transaction.user(for: person, in: application)
            let standing = try Self.standing(of: person, to: id, in: application, transaction)
            switch standing {
            case .linked: return standing
            case .taken:
                // A code is spent by now; what it brought is the other user's.
                if person.refreshToken != nil { try ready.links.keepAccounts(in: transaction) }
                return standing
            case .open(let known):
                // Of an identity that is linked already: as at a log-in by it (decision 0221).
                let former = try transaction.providerAccount(
                    person.provider, subject: person.subject, in: application)?.email
                var user = try ready.store(known, keeping: KeptAccess(who), in: transaction).user
                try transaction.complete(
                    &user, displayName: displayName ?? person.greeting, email: person.email, after: former,
                    recording: taken, at: now)
                return .linked(user)
            }
        }
    }

    /// Orders the end of a grant whose code was exchanged for a user who is gone since, or logged out: it is nobody's, and nothing
    /// else would end it.
    private func giveUpGrant(
        of person: ExternalIdentity, in application: Identifier<Application>
    ) async throws(DomainError) {
        guard let token = person.refreshToken else { return }
        let now = clock.now
        let revocation = ProviderRevocation(
            application: application, id: editUser.changes.audit.randomness.newIdentifier(at: now),
            provider: person.provider, audience: person.audience,
            sealedGrant: try editUser.sealingKey.seal(
                Array(token.revealed.utf8), purpose: ProviderAccount.purpose(person.provider, in: application)),
            dueAt: now, createdAt: now)
        try await store.write { transaction throws(DomainError) in
            guard try transaction.knownUser(for: person, in: application) == nil else { return }
            try transaction.insert(revocation)
        }
    }

    /// - Throws: `providerAlreadyLinked`, `providerTokenReplayed`, `userUnknown`, `storageUnavailable`.
    private static func standing(
        of person: ExternalIdentity, to id: Identifier<User>, in application: Identifier<Application>,
        _ transaction: any Transaction
    ) throws(DomainError) -> Standing {
        var isTokenUsed = false
        if let replay = person.replay { isTokenUsed = try transaction.wasUsed(replay, in: application) }
        let owner = try transaction.knownUser(for: person, in: application)
        if let owner, owner.id != id { return .taken(by: owner.id, isTokenUsed: isTokenUsed) }
        guard let user = try transaction.user(id, in: application) else { throw .userUnknown }
        guard owner == nil else {
            // With a token that is new, what it tells is still to be taken over.
            return isTokenUsed ? .linked(user) : .open(user)
        }
        guard !user.identities.contains(where: { $0.provider == person.provider }) else {
            throw .providerAlreadyLinked
        }
        guard !isTokenUsed else { throw .providerTokenReplayed }
        return .open(user)
    }
}
