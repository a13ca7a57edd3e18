/// Logs in whoever some identities lead to, or makes a user whom they lead to from then on: what the mobile backends do
/// with a sign-up that holds `authData`.
package struct LogInWithIdentities: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let rateLimiter: RateLimiter
    let sealingKey: SealingKey
    let passwords: any PasswordHashing
    let changes: AccountChanges
    /// New users allowed for one address or /64 network; `nil` for no limit.
    let newUsers: RateLimit?

    package struct Request: Sendable {
        package var application: Application
        /// People whom providers vouched for; see `VerifyCredential`.
        package var people: [ExternalIdentity]
        package var anonymousId: AnonymousId?
        package var newUser: LogInAutomatically.NewUser
        /// For a new user; a known one keeps its own.
        package var identifiers: NewIdentifiers
        /// For a new user with identifiers.
        package var password: Secret?
        /// Whose session it is asked in, when in one. Identities of somebody else are refused then.
        package var caller: Identifier<User>?
        package var protocolName: Session.ProtocolName
        package var device: DeviceDescription
        package var address: ClientAddress
        /// Where the request came from, for the audit log.
        package var origin: RequestOrigin

        package init(
            application: Application, people: [ExternalIdentity], anonymousId: AnonymousId?,
            newUser: LogInAutomatically.NewUser = .init(), identifiers: NewIdentifiers = NewIdentifiers(),
            password: Secret? = nil, caller: Identifier<User>? = nil,
            protocolName: Session.ProtocolName, device: DeviceDescription = DeviceDescription(),
            address: ClientAddress, origin: RequestOrigin
        ) {
            self.application = application
            self.people = people
            self.anonymousId = anonymousId
            self.newUser = newUser
            self.identifiers = identifiers
            self.password = password
            self.caller = caller
            self.protocolName = protocolName
            self.device = device
            self.address = address
            self.origin = origin
        }
    }

    /// - Throws: `identityTaken` when the identities lead to two users, `identifiersTaken`, `fieldsRefused`,
    ///   `rateLimited`, `userDisabled`, `userDeleted`, `providerTokenReplayed`, `storageUnavailable`.
    package func callAsFunction(_ request: Request) async throws(DomainError) -> LogIn {
        let now = clock.now
        let application = request.application.id
        let candidate = try checked(request, at: now)
        let links = try IdentityLinks(
            request.people, request.anonymousId, in: application, sealingKey: sealingKey, at: now)
        let method = request.people.first?.provider ?? .anonymous
        let opening = SessionIssuer(
            application: request.application, deviceKey: nil, device: request.device, address: request.address.text,
            protocolName: request.protocolName, method: .init(rawValue: method.rawValue), attempt: nil,
            // Not of log-ins by ids that clients make, which are automatic: the session is their record.
            entry: request.people.isEmpty
                ? nil : changes.audit.draft(.loggedIn, by: .unknown, in: application, from: request.origin),
            randomness: randomness, now: now)
        let owner = try await store.read { transaction throws(DomainError) in try links.owner(in: transaction) }
        let isKnown = owner != nil
        let ready = try changes.ready(
            [.identityLinked], of: owner ?? candidate, in: request.application,
            by: Operator(actor: .unknown, origin: request.origin), at: now)
        let password = isKnown ? nil : try await hash(request, for: candidate)
        if !isKnown, let newUsers {
            let key = RateLimitKey(
                application: application, kind: RateLimitKey.firstLaunch, subject: request.address.allowanceGroup)
            try await rateLimiter(key, limit: newUsers)
        }
        return try await store.write { transaction throws(DomainError) in
            if var known = try links.owner(in: transaction) {
                guard request.caller == nil || request.caller == known.id else { throw .identityTaken }
                let before = known
                try links.join(&known, in: transaction)
                try ready.settle(
                    AccountChange.between(before, known), of: &known, keeping: .nothing, by: .user(known.id),
                    in: transaction)
                return try opening.open(for: known, in: transaction)
            }
            try transaction.refuseTaken(candidate)
            for person in request.people { try transaction.markUsed(person.replay, in: application) }
            var user = candidate
            user.identities = links.identities
            if password != nil { user.passwordSetAt = now }
            let logIn = try opening.open(forNew: user, by: request.newUser.actor, in: transaction)
            if let password { try transaction.setPassword(password, of: user.id, in: application, at: now) }
            try transaction.forgive(user, from: request.address, at: now)
            try links.keepAccounts(in: transaction)
            return logIn
        }
    }

    private func hash(_ request: Request, for user: User) async throws(DomainError) -> PasswordHash? {
        guard let secret = request.password, !user.typedIdentifiers.isEmpty else { return nil }
        let password = try PasswordRules(for: request.application, user: user, rules: request.identifiers.rules)
            .check(secret, field: "password")
        return try await passwords.hash(password)
    }

    private func checked(_ request: Request, at now: Timestamp) throws(DomainError) -> User {
        var user = User(
            id: randomness.newIdentifier(at: now), application: request.application.id,
            displayName: request.newUser.displayName, locale: request.newUser.locale, fields: request.newUser.fields,
            createdAt: now, updatedAt: now)
        user.acl = request.newUser.acl
        var faults = request.identifiers.apply(to: &user)
        faults += request.device.faults(field: "device")
        faults += ProfileRules.faults(displayName: user.displayName, locale: user.locale, fields: user.fields)
        faults += user.acl?.faults(field: "accessList") ?? []
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        return user
    }
}
