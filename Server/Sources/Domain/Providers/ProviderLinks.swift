/// What log-in, linking, unlinking and deletion share inside their transactions.
extension Transaction {
    /// The user that a person is here; nothing is written. A person who was transferred from another team is found by the
    /// old name (complaint 22).
    func knownUser(
        for person: ExternalIdentity, in application: Identifier<Application>
    ) throws(DomainError) -> User? {
        if let known = try user(provider: person.provider, subject: person.subject, in: application) { return known }
        guard let former = try formerSubject(of: person, in: application) else { return nil }
        return try user(provider: person.provider, subject: former, in: application)
    }

    /// As `knownUser`, in a transaction that writes: a person who was transferred has the new name from then on.
    func user(for person: ExternalIdentity, in application: Identifier<Application>) throws(DomainError) -> User? {
        if let known = try user(provider: person.provider, subject: person.subject, in: application) { return known }
        guard let former = try formerSubject(of: person, in: application) else { return nil }
        _ = try carryOver(person.provider, from: former, to: person.subject, in: application)
        return try user(provider: person.provider, subject: person.subject, in: application)
    }

    /// Gives a person the name that the present team has. With the team before go its grant, which ended with the
    /// transfer, and the name for that transfer: for the next one Apple gives another.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - former: The subject until now.
    ///   - subject: The subject from now on.
    ///   - application: Where.
    /// - Returns: what is kept from now on; `nil` when nothing is.
    /// - Throws: `storageUnavailable`.
    func carryOver(
        _ provider: Identity.Provider, from former: String, to subject: String,
        in application: Identifier<Application>
    ) throws(DomainError) -> ProviderAccount? {
        try renameProviderAccount(provider, from: former, to: subject, in: application)
        guard var carried = try providerAccount(provider, subject: subject, in: application) else { return nil }
        let (before, after) = (ConfiguredProvider.parts(of: former), ConfiguredProvider.parts(of: subject))
        // Who comes before the operator has set the new team is still to be carried over to it. A person with the same name
        // has moved nowhere: the settings had another team.
        guard before.team != after.team, before.name != after.name else { return carried }
        (carried.sealedGrant, carried.transferSubject) = (nil, nil)
        carried.formerNames = Array(
            (carried.formerNames + [before.name]).suffix(ProviderAccount.maximumFormerNames))
        try save(carried)
        return carried
    }

    /// The subject that a person had under other settings: that of the team before, by the name for the transfer; or the
    /// same name at another team of the application's, as of a person who came while the app had moved and its settings had
    /// not. Apple gives no two people one name.
    private func formerSubject(
        of person: ExternalIdentity, in application: Identifier<Application>
    ) throws(DomainError) -> String? {
        if let former = person.transferSubject,
            let account = try providerAccount(person.provider, transferSubject: former, in: application)
        {
            return account.subject
        }
        let (present, name) = ConfiguredProvider.parts(of: person.subject)
        guard person.provider == .apple, present != nil else { return nil }
        // One read for each team that the application ever had, of which there are few.
        let maximumTeams = 5
        var last: String?
        for _ in 0..<maximumTeams {
            guard let next = try subjects(of: .apple, in: application, after: last, limit: 1).first else { return nil }
            guard let team = ConfiguredProvider.parts(of: next).team else {
                last = next
                continue
            }
            let subject = ConfiguredProvider.subject(of: name, team: team)
            if team != present, try user(provider: .apple, subject: subject, in: application) != nil { return subject }
            // Behind all names of the team: the digit follows the slash.
            last = "\(team)0"
        }
        return nil
    }

    /// Notes that a token was used.
    ///
    /// - Throws: `providerTokenReplayed` when it was used before.
    func markUsed(_ replay: UsedProof?, in application: Identifier<Application>) throws(DomainError) {
        guard let replay else { return }
        guard try markUsed(replay, in: application) else { throw .providerTokenReplayed }
    }

    /// Notes that a person's token was used, and by whom where they may repeat it.
    ///
    /// - Throws: `providerTokenReplayed` when somebody else used it before.
    func markUsed(_ person: ExternalIdentity, in application: Identifier<Application>) throws(DomainError) {
        guard let retry = person.retry else { return try markUsed(person.replay, in: application) }
        guard let replay = person.replay, try !markUsed(replay, in: application) else {
            _ = try markUsed(retry, in: application)
            return
        }
        guard try wasUsed(retry, in: application) else { throw .providerTokenReplayed }
    }

    /// Keeps what the provider sent this time, and of earlier times what it did not send again.
    ///
    /// - Parameters:
    ///   - person: Who came.
    ///   - sealedGrant: The grant that came along.
    ///   - key: What it is sealed with; by it the grants of other apps stay beside it.
    ///   - application: Where.
    ///   - now: When.
    /// - Throws: `storageUnavailable`.
    func keepAccount(
        of person: ExternalIdentity, sealedGrant: [UInt8]?, by key: SealingKey? = nil,
        in application: Identifier<Application>, at now: Timestamp
    ) throws(DomainError) {
        let before = try providerAccount(person.provider, subject: person.subject, in: application)
        var after = ProviderAccount(
            application: application, provider: person.provider, subject: person.subject,
            audience: sealedGrant == nil ? before?.audience ?? person.audience : person.audience,
            sealedGrant: sealedGrant ?? before?.sealedGrant, email: person.email ?? before?.email,
            transferSubject: before?.transferSubject, updatedAt: before?.updatedAt ?? now)
        if sealedGrant != nil, let key, let all = before?.grants(with: person, sealedWith: key) {
            (after.audience, after.sealedGrant) = (all.audience, all.sealed)
        }
        after.isEmailForwarded = before?.forwards(to: after.email) ?? true
        after.formerNames = before?.formerNames ?? []
        guard after != before else { return }
        after.updatedAt = now
        try save(after)
    }

    /// Takes what a provider tells and the user does not have yet. Names come once, and not always with the first log-in
    /// (complaint 21). An address stays when the identity goes, so that it is recorded as any other.
    ///
    /// - Parameters:
    ///   - user: Who is let in. Changed too.
    ///   - displayName: The name.
    ///   - email: The address.
    ///   - former: The address that the same identity brought before; `nil` for one that is new.
    ///   - ready: What an address leaves (`AuditTrail.takenAddress`).
    ///   - now: When.
    /// - Throws: `storageUnavailable`.
    func complete(
        _ user: inout User, displayName: String?, email: ProviderEmail?, after former: ProviderEmail?,
        recording ready: ReadyChanges, at now: Timestamp
    ) throws(DomainError) {
        if user.displayName == nil, let displayName {
            user.displayName = displayName
            user.updatedAt = now
            try updateProfile(of: user)
        }
        try takeAddress(email, after: former, of: &user, recording: ready, by: .owner(user.id), at: now)
    }

    /// Stores what `take` gives, and records it.
    func takeAddress(
        _ email: ProviderEmail?, after former: ProviderEmail?, of user: inout User, recording ready: ReadyChanges,
        by actor: AccountActor?, at now: Timestamp
    ) throws(DomainError) {
        guard try take(email, after: former, for: &user, at: now) else { return }
        user.updatedAt = now
        try updateIdentifiers(of: user)
        try ready.settle(
            [.identifiersChanged: user.identifierDetails], of: &user, keeping: .nothing, by: actor, in: self)
    }

    /// Gives a user without a mail address the one that the provider has verified, unless it is somebody else's: an
    /// address alone never leads one person to another's account (requirement 32). Nor is it given to a user with a second
    /// factor, who shows that for an address: a reset by it ends all other ways in (decision 0210). A relay address
    /// replaces the one before of the same identity, to which mail goes no more (decision 0221).
    ///
    /// - Returns: whether the user has it now and had not before.
    @discardableResult
    func take(
        _ email: ProviderEmail?, after former: ProviderEmail?, for user: inout User, at now: Timestamp
    ) throws(DomainError) -> Bool {
        guard !user.hasSecondFactor, let email, email.isVerified, let address = MailAddress(email.address),
            user.email == nil || email.isRelay && former?.isRelay(of: user) == true
        else { return false }
        let identifier = LogInIdentifier(.email, shown: address.text)
        guard try self.user(identifier, in: user.application) == nil else { return false }
        user.email = address.text
        user.emailVerifiedAt = now
        return true
    }

    /// Unlinks an identity and sees to it that the provider is asked to end its grant.
    ///
    /// - Throws: `storageUnavailable`.
    package func unlink(
        _ identity: Identity, of user: Identifier<User>, in application: Identifier<Application>,
        revocation id: Identifier<ProviderRevocation>, at now: Timestamp
    ) throws(DomainError) {
        try forgetGrant(of: identity, in: application, revocation: id, at: now)
        try remove(identity, of: user, in: application)
    }

    /// Forgets what is kept beside an identity; the provider will be asked to end its grant. For the user's deletion it
    /// is called for each identity, with an id each.
    ///
    /// - Throws: `storageUnavailable`.
    package func forgetGrant(
        of identity: Identity, in application: Identifier<Application>,
        revocation id: Identifier<ProviderRevocation>, at now: Timestamp
    ) throws(DomainError) {
        try revokeGrant(of: identity, in: application, revocation: id, at: now)
        try removeProviderAccount(identity.provider, subject: identity.subject, in: application)
    }

    /// Orders the end of the grant at the provider, and keeps the rest of what is known of the identity.
    func revokeGrant(
        of identity: Identity, in application: Identifier<Application>,
        revocation id: Identifier<ProviderRevocation>, at now: Timestamp
    ) throws(DomainError) {
        // An id that a client made is no grant of anybody's.
        guard identity.provider != .anonymous,
            var account = try providerAccount(identity.provider, subject: identity.subject, in: application),
            let grant = account.sealedGrant
        else { return }
        try insert(
            ProviderRevocation(
                application: application, id: id, provider: identity.provider, audience: account.audience,
                sealedGrant: grant, dueAt: now, createdAt: now))
        account.sealedGrant = nil
        account.updatedAt = now
        try save(account)
    }
}

extension ProviderEmail {
    /// Whether it is a relay's, and the address that a user has.
    fileprivate func isRelay(of user: User) -> Bool {
        isRelay && user.email != nil && MailAddress(address)?.text == user.email
    }
}

/// Ids for the ends of a user's grants, however many there are: one is drawn before the transaction, which may run twice, and the
/// others follow from it.
struct RevocationIds: Sendable {
    private let first: Identifier<ProviderRevocation>

    init(_ randomness: any Randomness, at now: Timestamp) {
        first = randomness.newIdentifier(at: now)
    }

    /// The id of one of them, counted from 0.
    subscript(number: Int) -> Identifier<ProviderRevocation> {
        number == 0 ? first : Identifier(rawValue: "\(first)-\(number)")
    }

    /// Each of a user's identities that may have a grant, with an id of its own.
    func pairs(of user: User) -> [(identity: Identity, revocation: Identifier<ProviderRevocation>)] {
        user.identities.filter(\.mayHaveGrant).enumerated().map { number, identity in (identity, self[number]) }
    }
}

extension Identity {
    /// Whether its provider may have granted something that has to end with it: neither keys of devices and passkeys nor ids that
    /// clients made have a grant.
    var mayHaveGrant: Bool { provider.registers && provider != .passkey }
}
