/// Logs a person in whom a provider vouches for; the first time, that makes a new user.
///
/// An identity token costs no call to anybody; an authorization code costs one. Nothing is written before the provider
/// has answered, so that a provider that is down leaves nothing half done.
package struct LogInWithProvider: Sendable {
    /// Codes that come without a token, for one address or /64 network: each costs a call to the provider.
    package static let bareCodes = RateLimit.hourly(120)

    let store: any Store
    let clock: any WallClock
    let rateLimiter: RateLimiter
    let findProvider: FindProvider
    let sealingKey: SealingKey
    let registrar: UserRegistrar
    let issuers: SessionIssuers

    package struct Request: Sendable {
        package var application: Application
        package var provider: Identity.Provider
        package var credential: ProviderCredential
        package var client: LogInClient
        package var newUser: UserRegistration.Profile
        /// Names one attempt, so that its repetition answers what the first try answered.
        package var attempt: Attempt?
        /// Set to bring a user back that asked to be deleted.
        package var restoringFrom: RequestOrigin?
        /// When the person was sent to the provider for a log-in that an app demands: the session then says the time of the log-in
        /// there, where the provider tells it. `nil` where nobody demands one.
        package var demandedAt: Timestamp?
        /// An earlier end of the session than its protocol's.
        package var expiresAt: Timestamp?

        package init(
            application: Application, provider: Identity.Provider, credential: ProviderCredential,
            newUser: UserRegistration.Profile = .init(), client: LogInClient, attempt: Attempt? = nil,
            restoringFrom: RequestOrigin? = nil
        ) {
            self.application = application
            self.provider = provider
            self.credential = credential
            self.client = client
            self.newUser = newUser
            self.attempt = attempt
            self.restoringFrom = restoringFrom
        }
    }

    /// - Throws: `providerNotEnabled`, `providerTokenRefused`, `providerTokenReplayed`, `providerRefused`,
    ///   `providerUnavailable`, `providerMisconfigured`, `proofRequired`, `proofRefused`, `proofReplayed`, `clockSkew`,
    ///   `fieldsRefused`, `rateLimited`, `hookRefused`, `hookUnavailable`, `userDisabled`, `userDeleted`, `attemptReused`,
    ///   `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(_ request: Request) async throws(DomainError) -> LogIn {
        let now = clock.now
        let proof = try request.client.verifiedProof(in: request.application, at: now)
        var faults = UserRegistration.faults(
            of: request.newUser, on: request.client.device, by: .provider,
            within: request.application.settings.fieldRules.limits)
        if let end = request.expiresAt, end <= now {
            faults.append(ValidationError(field: "expiresAt", rule: .inThePast))
        }
        guard faults.isEmpty else { throw .fieldsRefused(faults) }

        let link = DeviceLink(
            proof: proof, joins: request.client.joinsDevice, by: .init(rawValue: request.provider.rawValue),
            in: request.application.id, now: now, audit: issuers.audit)
        let found = try await findProvider(request.provider, in: request.application.id)
        var issuer = issuers.issuer(
            for: .init(
                request.application, request.client.protocolName, by: .init(rawValue: request.provider.rawValue),
                on: request.client.holder(key: proof),
                attempt: request.attempt, expiresAt: request.expiresAt, record: .logIn(from: request.client.origin),
                restoringFrom: request.restoringFrom
            ).proven(by: .provider),
            at: now)
        var person = try await found.provider.identify(request.credential, for: found.configured)
        if let person { issuer = issuer.showing(person.provider, person.subject) }
        if let person, let before = try await repeated(person, request, issuer, link) { return before }
        var approval: SignUpApproval?
        if let known = person { approval = try await approvedEarly(known, request) }
        if let code = request.credential.code {
            if person == nil { try await countBareCode(request) }
            let redeemed = try await found.provider.redeem(
                code, nonce: request.credential.nonce, of: person, for: found.configured)
            if person == nil { approval = try await approvedEarly(redeemed, request) }
            person = redeemed
        }
        guard let person else { throw .providerTokenRefused(.malformed) }
        issuer = issuer.showing(person.provider, person.subject)
        issuer.provenAt = request.demandedAt.flatMap { person.logIn(before: $0) }
        let candidate = registration(of: person, request, at: now, approved: approval)
        return try await logIn(person, request, issuer, link, or: candidate)
    }

    /// The answer to the first try of an attempt, given again: neither token nor code would count a second time.
    private func repeated(
        _ person: ExternalIdentity, _ request: Request, _ issuer: SessionIssuer, _ link: DeviceLink
    ) async throws(DomainError) -> LogIn? {
        guard let attempt = request.attempt else { return nil }
        let application = request.application.id
        let isKnown = try await store.read { transaction throws(DomainError) in
            guard
                let user = try transaction.user(
                    provider: person.provider, subject: person.subject, in: application)
            else { return false }
            return try transaction.session(attempt: attempt.digest, of: user.id, in: application) != nil
        }
        guard isKnown else { return nil }
        return try await store.write { transaction throws(DomainError) -> LogIn? in
            guard
                let user = try transaction.user(
                    provider: person.provider, subject: person.subject, in: application),
                try issuer.hasIssued(to: user, in: transaction)
            else { return nil }
            try link.use(in: transaction)
            return try issuer.reissue(repeatingFor: user, in: transaction)
        }
    }

    private func logIn(
        _ person: ExternalIdentity, _ request: Request, _ issuer: SessionIssuer, _ link: DeviceLink,
        or candidate: UserRegistration
    ) async throws(DomainError) -> LogIn {
        let (application, now) = (request.application.id, candidate.user.createdAt)
        let sealedGrant = try person.refreshToken.map { token throws(DomainError) in
            try sealingKey.seal(
                Array(token.revealed.utf8), purpose: ProviderAccount.purpose(person.provider, in: application))
        }
        let taken = issuers.audit.takenAddress(in: application, from: request.client.origin, at: now)
        let result = try await store.write { transaction throws(DomainError) -> Result<LogIn, DomainError> in
            try link.use(in: transaction)
            try transaction.markUsed(person.replay, in: application)
            let logIn: Result<LogIn, DomainError>
            if let known = try transaction.user(for: person, in: application) {
                let former = try transaction.providerAccount(
                    person.provider, subject: person.subject, in: application)?.email
                logIn = try issuer.issue(to: known, joining: link, in: transaction) { user throws(DomainError) in
                    // Not of a user whose second factor is still missing.
                    try transaction.complete(
                        &user, displayName: candidate.user.displayName, email: person.email, after: former,
                        recording: taken, at: now)
                }
            } else {
                var new = candidate
                try transaction.take(person.email, after: nil, for: &new.user, at: now)
                let made = try new.store(in: transaction, joining: link, session: issuer)
                // With an issuer there always is one.
                guard let first = made.logIn else { throw .storageUnavailable }
                logIn = .success(first)
            }
            try transaction.keepAccount(
                of: person, sealedGrant: sealedGrant, by: sealingKey, in: application, at: now)
            return logIn
        }
        return try result.get()
    }

    private func registration(
        of person: ExternalIdentity, _ request: Request, at now: Timestamp, approved approval: SignUpApproval?
    ) -> UserRegistration {
        var asked = UserRegistration.Request(
            .provider, in: request.application, request.newUser, identifiers: NewIdentifiers(rules: .native))
        asked.hasDashedId = request.application.settings.foreignOptions(of: request.client.protocolName).hasDashedIds
        asked.identities = [Identity(provider: person.provider, subject: person.subject, linkedAt: now)]
        if asked.profile.displayName == nil { asked.profile.displayName = person.greeting }
        return registrar.draft(asked, at: now, approved: approval)
    }

    /// What can be refused before anybody else is asked: a token that was used before, a user who may not come in, and,
    /// counted as a first launch, a person who is nobody here yet.
    ///
    /// - Returns: what lets a new user be stored.
    private func approvedEarly(
        _ person: ExternalIdentity, _ request: Request
    ) async throws(DomainError) -> SignUpApproval? {
        let application = request.application.id
        let isKnown = try await store.read { transaction throws(DomainError) in
            if let replay = person.replay, try transaction.wasUsed(replay, in: application) {
                throw .providerTokenReplayed
            }
            guard let known = try transaction.knownUser(for: person, in: application) else { return false }
            // A code that is exchanged here leaves a grant for somebody who is not let in.
            try AccountGate.refuse(known, of: request.application, isRestored: request.restoringFrom != nil)
            return true
        }
        guard !isKnown else { return nil }
        // Before a code is spent: the app asks for what is missing, and tries again.
        let draft = registration(of: person, request, at: clock.now, approved: nil)
        _ = try draft.judged()
        try await registrar.count(from: request.client.address, in: application)
        return try await registrar.approval(of: draft, vouched: person.email, from: request.client.address)
    }

    private func countBareCode(_ request: Request) async throws(DomainError) {
        guard registrar.hasLimit else { return }
        try await rateLimiter(
            kind: "bare-code", in: request.application.id, from: request.client.address,
            limit: AddressLimit(Self.bareCodes))
    }
}

extension ExternalIdentity {
    /// How far the provider's clock may be behind.
    private static let skew: Duration = .seconds(60)

    /// The time of the log-in at the provider, where that was before the person was sent there; `nil` for one on that way, and
    /// where the provider tells no time.
    fileprivate func logIn(before sent: Timestamp) -> Timestamp? {
        authenticatedAt.flatMap { $0 < sent - Self.skew ? $0 : nil }
    }
}
