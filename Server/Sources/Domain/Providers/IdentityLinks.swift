/// What shall lead to a user: people whom providers vouched for, and an id that a client made. Made before the
/// transaction that links them.
struct IdentityLinks: Sendable {
    let identities: [Identity]
    private let people: [ExternalIdentity]
    private let sealedGrants: [String: [UInt8]]
    private let sealingKey: SealingKey
    /// The id that a client made, for its owner to read.
    private let anonymousAccount: ProviderAccount?
    private let application: Identifier<Application>
    private let now: Timestamp

    /// - Parameters:
    ///   - people: Whom providers vouched for.
    ///   - anonymousId: The id that a client made.
    ///   - way: By which way of log-in the one has come who brings the id, which ends with it as device keys do; `nil` where nobody has.
    ///   - application: Where.
    ///   - sealingKey: Seals grants.
    ///   - now: When.
    /// - Throws: `storageUnavailable`, should a grant not be sealed.
    init(
        _ people: [ExternalIdentity], _ anonymousId: AnonymousId?, by way: Session.LogInMethod?,
        in application: Identifier<Application>, sealingKey: SealingKey, at now: Timestamp
    ) throws(DomainError) {
        self.people = people
        self.sealingKey = sealingKey
        self.application = application
        self.now = now
        var grants: [String: [UInt8]] = [:]
        for person in people {
            guard let token = person.refreshToken else { continue }
            grants[person.subject] = try sealingKey.seal(
                Array(token.revealed.utf8), purpose: ProviderAccount.purpose(person.provider, in: application))
        }
        sealedGrants = grants
        anonymousAccount = try anonymousId?.account(in: application, sealedWith: sealingKey, at: now)
        var identities = people.map { Identity(provider: $0.provider, subject: $0.subject, linkedAt: now) }
        if let anonymousId {
            var identity = Identity(provider: .anonymous, subject: anonymousId.subject, linkedAt: now)
            // One id in the place of another does not end with that one.
            identity.joinedBy = way == .anonymous ? nil : way
            identities.append(identity)
        }
        self.identities = identities
    }

    var providers: Set<Identity.Provider> { Set(identities.map(\.provider)) }

    func contains(_ identity: Identity) -> Bool {
        identities.contains { $0.provider == identity.provider && $0.subject == identity.subject }
    }

    /// The user that they lead to already; nothing is written.
    ///
    /// - Throws: `identityTaken` when they lead to two.
    func owner(in transaction: any Transaction) throws(DomainError) -> User? {
        var owner: User?
        for identity in identities {
            guard let found = try self.owner(of: identity, in: transaction) else { continue }
            guard owner == nil || owner?.id == found.id else { throw .identityTaken }
            owner = found
        }
        return owner
    }

    private func owner(of identity: Identity, in transaction: any Transaction) throws(DomainError) -> User? {
        let (provider, subject) = (identity.provider, identity.subject)
        guard let person = people.first(where: { $0.provider == provider && $0.subject == subject }) else {
            return try transaction.user(provider: provider, subject: subject, in: application)
        }
        return try transaction.knownUser(for: person, in: application)
    }

    /// Gives people who were transferred from another team their new names, in a transaction that writes.
    ///
    /// - Throws: `storageUnavailable`.
    func carryOver(in transaction: any Transaction) throws(DomainError) {
        for person in people { _ = try transaction.user(for: person, in: application) }
    }

    /// As `owner`, in a transaction that writes: people who were transferred have their new names from then on.
    ///
    /// - Throws: `identityTaken` when they lead to two.
    func carriedOver(in transaction: any Transaction) throws(DomainError) -> User? {
        try carryOver(in: transaction)
        return try owner(in: transaction)
    }

    /// Links those that do not lead to the user yet, and keeps what the providers gave.
    ///
    /// - Throws: `identityTaken` when one leads to somebody else, `fieldsRefused` when the user has too many, `providerTokenReplayed`,
    ///   `storageUnavailable`.
    func join(_ user: inout User, in transaction: any Transaction) throws(DomainError) {
        for person in people { try transaction.markUsed(person, in: application) }
        for identity in identities where !user.identities.contains(where: { $0.isSame(as: identity) }) {
            let owner = try owner(of: identity, in: transaction)
            guard owner == nil || owner?.id == user.id else { throw .identityTaken }
            try user.requireRoom(for: [identity])
            try transaction.insert(identity, for: user.id, in: application)
            user.identities.append(identity)
        }
        try keepAccounts(in: transaction)
        try keepAnonymousId(of: user, in: transaction)
    }

    /// Takes ids that a client made away from a user.
    func leave(_ user: inout User, in transaction: any Transaction) throws(DomainError) {
        for identity in user.identities where identity.provider == .anonymous && contains(identity) {
            try transaction.remove(identity, of: user.id, in: application)
        }
        user.identities.removeAll { $0.provider == .anonymous && contains($0) }
    }

    /// Keeps what the providers gave.
    func keepAccounts(in transaction: any Transaction) throws(DomainError) {
        for person in people {
            try transaction.keepAccount(
                of: person, sealedGrant: sealedGrants[person.subject], by: sealingKey, in: application, at: now)
        }
    }

    /// Keeps the id that a client made, where it leads to a user.
    func keepAnonymousId(of user: User, in transaction: any Transaction) throws(DomainError) {
        guard let anonymousAccount, user.identities.contains(where: { $0.subject == anonymousAccount.subject }),
            try transaction.providerAccount(.anonymous, subject: anonymousAccount.subject, in: application) == nil
        else { return }
        try transaction.save(anonymousAccount)
    }
}

extension User {
    /// Device keys have a limit of their own.
    ///
    /// - Throws: `fieldsRefused` when the user would have too many identities with these.
    func requireRoom(for more: [Identity]) throws(DomainError) {
        guard (identities + more).count(where: { $0.provider != .device }) <= Self.maximumIdentities else {
            throw .fieldsRefused([
                ValidationError(field: "identities", rule: .tooManyFields(maximum: Self.maximumIdentities))
            ])
        }
    }
}
