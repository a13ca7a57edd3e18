/// Logs in whoever some identities lead to, or makes a user whom they lead to from then on: what the mobile backends do
/// with a sign-up that holds `authData`.
package struct LogInWithIdentities: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let takeAllowance: TakeAllowance
    let sealingKey: SealingKey
    /// New users allowed for one address or /64 network; `nil` for no limit.
    let newUsers: RateLimit?

    package struct Request: Sendable {
        package var application: Application
        /// People whom providers vouched for; see `VerifyCredential`.
        package var people: [ProviderPerson]
        package var anonymousId: AnonymousId?
        package var newUser: LogInAutomatically.NewUser
        /// For a new user; a known one keeps its own.
        package var identifiers: NewIdentifiers
        package var protocolName: Session.ProtocolName
        package var device: DeviceDescription
        package var address: ClientAddress

        package init(
            application: Application, people: [ProviderPerson], anonymousId: AnonymousId?,
            newUser: LogInAutomatically.NewUser = .init(), identifiers: NewIdentifiers = NewIdentifiers(),
            protocolName: Session.ProtocolName, device: DeviceDescription = DeviceDescription(),
            address: ClientAddress
        ) {
            self.application = application
            self.people = people
            self.anonymousId = anonymousId
            self.newUser = newUser
            self.identifiers = identifiers
            self.protocolName = protocolName
            self.device = device
            self.address = address
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
        let opening = SessionOpening(
            application: request.application, deviceKey: nil, device: request.device, address: request.address.text,
            protocolName: request.protocolName, method: .init(rawValue: method.rawValue), attempt: nil,
            randomness: randomness, now: now)
        let isKnown = try await store.read { transaction throws(DomainError) in
            try links.owner(in: transaction) != nil
        }
        if !isKnown, let newUsers {
            let key = RateLimitKey(
                application: application, kind: RateLimitKey.firstLaunch, subject: request.address.allowanceGroup)
            try await takeAllowance(key, limit: newUsers)
        }
        return try await store.write { transaction throws(DomainError) in
            if var known = try links.owner(in: transaction) {
                try links.join(&known, in: transaction)
                return try opening.open(for: known, in: transaction)
            }
            let owners = try transaction.owners(of: candidate.typedIdentifiers, in: application)
            guard owners.isEmpty else { throw .identifiersTaken(owners.map(\.kind)) }
            for person in request.people { try transaction.markUsed(person.replay, in: application) }
            var user = candidate
            user.identities = links.identities
            let logIn = try opening.open(forNew: user, in: transaction)
            try links.keepAccounts(in: transaction)
            return logIn
        }
    }

    private func checked(_ request: Request, at now: Timestamp) throws(DomainError) -> User {
        var user = User(
            id: randomness.newIdentifier(at: now), application: request.application.id,
            displayName: request.newUser.displayName, locale: request.newUser.locale, fields: request.newUser.fields,
            createdAt: now, updatedAt: now)
        user.accessList = request.newUser.accessList
        var faults = request.identifiers.apply(to: &user)
        faults += request.device.faults(field: "device")
        faults += ProfileRules.faults(displayName: user.displayName, locale: user.locale, fields: user.fields)
        faults += user.accessList?.faults(field: "accessList") ?? []
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        return user
    }
}
