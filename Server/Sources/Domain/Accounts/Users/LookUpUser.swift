/// Another user by what a person would type, for users who know it already. Trying out addresses is stopped by a
/// limit that counts hits and misses alike (requirement 10).
package struct LookUpUser: Sendable {
    /// Look-ups by one user: 60 an hour.
    package static let lookUps = RateLimit.hourly(60)

    let store: any Store
    let rateLimiter: RateLimiter
    let hasLimits: Bool

    /// Counts a look-up by a user, or whatever else tells the user who has an identifier.
    ///
    /// - Throws: `rateLimited`, `storageUnavailable`.
    func count(by user: Identifier<User>, in application: Identifier<Application>) async throws(DomainError) {
        guard hasLimits else { return }
        let key = RateLimitKey(application: application, kind: "user-look-up", subject: user.rawValue)
        try await rateLimiter(key, limit: Self.lookUps)
    }

    /// Whether somebody else has an address or number without having proved it: it yields to who does (decision 0252). A user who
    /// learns that has looked somebody up.
    ///
    /// - Throws: `rateLimited`, `storageUnavailable`.
    package func isUnproved(
        _ identifier: LogInIdentifier, ofAnotherThan user: User
    ) async throws(DomainError) -> Bool {
        let owner = try await store.read { transaction throws(DomainError) in
            try transaction.user(identifier, in: user.application)
        }
        guard let owner, owner.id != user.id, !owner.hasProved(identifier.kind) else { return false }
        try await count(by: user.id, in: user.application)
        return true
    }

    /// - Parameters:
    ///   - identifier: What is looked for.
    ///   - application: Where.
    ///   - user: Who looks; `nil` for an administrator, who is not limited.
    /// - Returns: the user; `nil` when there is none, or none that may be seen.
    /// - Throws: `rateLimited`, `storageUnavailable`.
    package func callAsFunction(
        _ identifier: LogInIdentifier, in application: Identifier<Application>, by user: Identifier<User>?
    ) async throws(DomainError) -> User? {
        if let user { try await count(by: user, in: application) }
        let found = try await store.read { transaction throws(DomainError) in
            try transaction.user(identifier, in: application)
        }
        // Who knows what another user is called by finds the user, whatever a list says: lists are of other protocols.
        guard let found, found.isVisible(to: .everything) else { return nil }
        return found
    }
}

/// One user with its identities, from the database.
package struct ReadUser: Sendable {
    let store: any Store

    /// - Throws: `userUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<User>, in application: Identifier<Application>
    ) async throws(DomainError) -> User {
        let user = try await store.read { transaction throws(DomainError) in
            try transaction.user(id, in: application)
        }
        guard let user else { throw .userUnknown }
        return user
    }
}

/// What is linked to a user, as an adapter compares it with what a client sends.
package struct LinkedIdentity: Hashable, Sendable {
    package let identity: Identity
    /// What the provider called the person before the app moved to another team of the provider's.
    private let formerNames: [String]

    package init(_ identity: Identity, formerNames: [String] = []) {
        self.identity = identity
        self.formerNames = formerNames
    }

    /// Whether a name, in the provider's own word, is this person's, now or at a team before. To name it changes nothing.
    package func isCalled(_ name: String) -> Bool {
        ConfiguredProvider.parts(of: identity.subject).name == name || formerNames.contains(name)
    }
}

/// The identities that lead to a user, for an adapter whose requests name them all. Only who may link and unlink them learns
/// what they are.
package struct ReadLinkedIdentities: Sendable {
    let readUser: ReadUser

    /// - Parameters:
    ///   - id: The user.
    ///   - application: Where.
    ///   - actor: Who asks.
    ///   - session: The session of the request. Its own user is not read again.
    /// - Returns: what is linked.
    /// - Throws: `accessRefused`, `userUnknown`, `storageUnavailable`.
    package func callAsFunction(
        of id: Identifier<User>, in application: Identifier<Application>, for actor: AccountActor,
        session: Authenticated?
    ) async throws(DomainError) -> [LinkedIdentity] {
        let identities: [Identity]
        if let session, session.user.id == id {
            identities = session.user.identities
        } else {
            let user = try await readUser(id, in: application)
            guard actor.may(.identityLinked, user) else { throw .accessRefused }
            identities = user.identities
        }
        // Apple alone knows teams.
        guard let moved = identities.first(where: { $0.provider == .apple }) else {
            return identities.map { LinkedIdentity($0) }
        }
        let account = try await readUser.store.read { transaction throws(DomainError) in
            try transaction.providerAccount(.apple, subject: moved.subject, in: application)
        }
        return identities.map { LinkedIdentity($0, formerNames: $0 == moved ? account?.formerNames ?? [] : []) }
    }
}
