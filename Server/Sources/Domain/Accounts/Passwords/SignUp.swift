/// Makes a user with identifiers and a password, and logs it in.
package struct SignUp: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let verifyProof: ProofVerifier
    let passwords: any PasswordHashing
    let rateLimiter: RateLimiter
    let audit: AuditTrail
    /// New users allowed for one address or /64 network, first launches among them; `nil` for no limit.
    let newUsers: RateLimit?

    package struct Request: Sendable {
        package var application: Application
        package var identifiers: NewIdentifiers
        /// Must be there; `nil` is refused with everything else that is wrong.
        package var password: Secret?
        package var newUser: LogInAutomatically.NewUser
        package var proof: PresentedProof?
        /// Whether the proof's key shall lead to the user from now on.
        package var joinsDevice: Bool
        package var device: DeviceDescription
        package var attempt: Attempt?
        package var address: ClientAddress
        /// Where the request came from, for the audit log.
        package var origin: RequestOrigin
        package var protocolName: Session.ProtocolName
        /// An earlier end of the session than its protocol's.
        package var expiresAt: Timestamp?

        package init(
            application: Application, identifiers: NewIdentifiers, password: Secret?,
            newUser: LogInAutomatically.NewUser = .init(), proof: PresentedProof? = nil, joinsDevice: Bool = true,
            device: DeviceDescription = DeviceDescription(), attempt: Attempt? = nil, address: ClientAddress,
            protocolName: Session.ProtocolName = .native, expiresAt: Timestamp? = nil,
            origin: RequestOrigin? = nil
        ) {
            self.application = application
            self.identifiers = identifiers
            self.password = password
            self.newUser = newUser
            self.proof = proof
            self.joinsDevice = joinsDevice
            self.device = device
            self.attempt = attempt
            self.address = address
            self.origin = origin ?? RequestOrigin(address: address.text)
            self.protocolName = protocolName
            self.expiresAt = expiresAt
        }
    }

    /// What the first transaction found.
    private enum Finding: Sendable {
        case made(LogIn)
        case taken([LogInIdentifier.Kind])
        /// The attempt's own user, made by an earlier try whose answer was lost.
        case repeated(User, PasswordHash)
    }

    /// - Throws: `fieldsRefused`, `identifiersTaken`, `proofRefused`, `proofReplayed`, `clockSkew`, `rateLimited`,
    ///   `busy`, `attemptReused`, `storageUnavailable`.
    package func callAsFunction(_ request: Request) async throws(DomainError) -> LogIn {
        let now = clock.now
        var proof: DeviceProof?
        if let presented = request.proof { proof = try verifyProof(presented, at: now) }
        let (candidate, password) = try checked(request, at: now)
        let isWeak = password.isName(of: candidate)
        let application = request.application.id
        if let newUsers {
            let key = RateLimitKey(
                application: application, kind: RateLimitKey.firstLaunch, subject: request.address.allowanceGroup)
            try await rateLimiter(key, limit: newUsers)
        }
        let hash = try await passwords.hash(password)
        let link = DeviceLink(proof: proof, joins: request.joinsDevice, now: now)
        let opening = SessionIssuer(
            application: request.application, deviceKey: proof?.thumbprint, device: request.device,
            address: request.address.text, protocolName: request.protocolName, method: .signUp,
            attempt: request.attempt,
            entry: audit.draft(.loggedIn, by: .unknown, in: application, from: request.origin),
            expiresAt: request.expiresAt, randomness: randomness, now: now)
        let finding = try await store.write { transaction throws(DomainError) -> Finding in
            try link.use(in: transaction, application)
            let owners = try transaction.owners(of: candidate.typedIdentifiers, in: application)
            guard owners.isEmpty else {
                guard let owner = owners.first?.user, try opening.hasOpened(for: owner, in: transaction),
                    let kept = try transaction.passwordHash(of: owner.id, in: application)
                else { return .taken(owners.map(\.kind)) }
                return .repeated(owner, kept)
            }
            var user = candidate
            if let identity = try link.free(for: application, in: transaction) { user.identities = [identity] }
            user.passwordSetAt = now
            let logIn = try opening.open(forNew: user, by: request.newUser.actor, in: transaction)
            try transaction.setPassword(hash, of: user.id, in: application, at: now)
            if isWeak { try transaction.markPassword(of: user.id, in: application, weakSince: now) }
            try transaction.forgive(user, from: request.address, at: now)
            return .made(logIn)
        }
        switch finding {
        case .made(let logIn): return logIn
        case .taken(let kinds): throw .identifiersTaken(kinds)
        case .repeated(let user, let kept):
            // Whoever guesses the attempt's name learns nothing without the password.
            guard try await passwords.compare(password, with: kept) != .refused else { throw .attemptReused }
            let logIn = try await store.write { transaction throws(DomainError) in
                try opening.repeated(for: user, in: transaction)
            }
            guard let logIn else { throw .identifiersTaken(user.typedIdentifiers.map(\.kind)) }
            return logIn
        }
    }

    private func checked(_ request: Request, at now: Timestamp) throws(DomainError) -> (User, Password) {
        var user = User(
            id: randomness.newIdentifier(at: now), application: request.application.id,
            displayName: request.newUser.displayName, locale: request.newUser.locale, fields: request.newUser.fields,
            createdAt: now, updatedAt: now)
        user.acl = request.newUser.acl
        var faults = request.identifiers.apply(to: &user)
        faults += user.acl?.faults(field: "accessList") ?? []
        faults += request.device.faults(field: "device")
        faults += ProfileRules.faults(displayName: user.displayName, locale: user.locale, fields: user.fields)
        faults += request.application.settings.fieldRules.faults(registering: user, by: request.newUser.actor)
        if faults.isEmpty && user.isAnonymous {
            faults.append(ValidationError(field: "", rule: .noneOf(LogInIdentifier.Kind.allCases.map(\.rawValue))))
        }
        let password = try PasswordRules(for: request.application, user: user, rules: request.identifiers.rules)
            .check(request.password, field: "password", beside: faults)
        return (user, password)
    }
}

extension Transaction {
    /// Who has which of these identifiers.
    func owners(
        of identifiers: [LogInIdentifier], in application: Identifier<Application>
    ) throws(DomainError) -> [(kind: LogInIdentifier.Kind, user: User)] {
        var owners: [(kind: LogInIdentifier.Kind, user: User)] = []
        for identifier in identifiers {
            if let user = try user(identifier, in: application) { owners.append((identifier.kind, user)) }
        }
        return owners
    }

    /// The one rule of identifiers: none belongs to two users of an application.
    ///
    /// - Parameter user: A user as it shall be, new or changed.
    /// - Throws: `identifiersTaken` with those that are somebody else's; `storageUnavailable`.
    func refuseTaken(_ user: User) throws(DomainError) {
        let owners = try owners(of: user.typedIdentifiers, in: user.application).filter { $0.user.id != user.id }
        guard owners.isEmpty else { throw .identifiersTaken(owners.map(\.kind)) }
    }
}
