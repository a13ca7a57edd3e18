/// Logs a person in by identifier and password.
///
/// A DPoP proof that comes with it binds the session to the device's key; unless the request says otherwise the key
/// also joins the user.
package struct LogInWithPassword: Sendable {
    let store: any Store
    let clock: any WallClock
    let check: PasswordCheck
    let issuers: SessionIssuers
    let audit: AuditTrail
    let migrate: MigratePassword

    package struct Request: Sendable {
        package var application: Application
        /// A user name, a mail address or a phone number, as typed.
        package var identifier: String
        package var password: Secret
        package var client: LogInClient
        package var attempt: Attempt?
        /// Set to bring a user back that asked to be deleted.
        package var restoringFrom: RequestOrigin?
        /// An earlier end of the session than its protocol's.
        package var expiresAt: Timestamp?
        /// What the identifier may mean, when the protocol says it; else what it looks like.
        package var candidates: [LogInIdentifier]?
        /// Whether the user's mail address must have been verified when it is what was typed.
        package var needsVerifiedEmail = false
        /// The same of phone numbers.
        package var needsVerifiedPhone = false
        /// Whether users without a verified mail address get an error instead of a session.
        package var admitsVerifiedOnly = false
        /// Whether the user's identifier must be written as it was typed, capitals and all.
        package var isSpelledExactly = false
        /// What the same user must have too.
        package var requiredIdentifier: LogInIdentifier?

        package init(
            application: Application, identifier: String, password: Secret, client: LogInClient,
            attempt: Attempt? = nil, restoringFrom: RequestOrigin? = nil, expiresAt: Timestamp? = nil,
            candidates: [LogInIdentifier]? = nil
        ) {
            self.application = application
            self.identifier = identifier
            self.password = password
            self.client = client
            self.attempt = attempt
            self.restoringFrom = restoringFrom
            self.expiresAt = expiresAt
            self.candidates = candidates
        }
    }

    /// - Throws: `credentialRefused` for an unknown user and for a wrong password alike, `userDisabled` and
    ///   `emailUnverified` only with the right one; `fieldsRefused`, `proofRequired`, `proofRefused`, `proofReplayed`,
    ///   `clockSkew`, `rateLimited`, `busy`, `attemptReused`, `userDeleted` with the right password, `secondFactorRequired`,
    ///   `secondFactorEnrolmentRequired`, `hookUnavailable` during a migration, `storageUnavailable`.
    package func callAsFunction(_ request: Request) async throws(DomainError) -> LogIn {
        let now = clock.now
        try request.refuseForm(at: now)
        let proof = try request.client.verifiedProof(in: request.application, at: now)
        let link = DeviceLink(
            proof: proof, joins: request.client.joinsDevice, by: .password, in: request.application.id, now: now,
            audit: issuers.audit)
        let application = request.application.id
        let candidates = request.candidates ?? LogInIdentifier.candidates(of: request.identifier)
        var outcome = try await compare(request, candidates)
        let issuer = issuers.issuer(
            for: .init(
                request.application, request.client.protocolName, by: .password,
                on: request.client.holder(key: proof),
                attempt: request.attempt, expiresAt: request.expiresAt, record: .logIn(from: request.client.origin),
                restoringFrom: request.restoringFrom),
            at: now)
        let retires = request.application.settings.retiresWeakPasswords && request.client.protocolName == .native
        let ready = audit.ready(atLogIn: .weakPasswordRetired, in: application, from: request.client.origin, at: now)
        if outcome.isRefused, let hook = request.application.hook(atLogInAt: now) {
            outcome = try await migrated(after: outcome, request, candidates, by: hook, link, issuer)
        }
        let settled = outcome
        let finding = try await store.write { transaction throws(DomainError) -> Finding in
            try link.use(in: transaction)
            let user = try settled.settle(in: transaction) { user in
                request.names(user) && request.namesSurely(user, by: candidates)
            }
            guard let user, !request.admitsVerifiedOnly || user.emailVerifiedAt != nil else {
                try issuer.refuse(settled.user, by: .password, in: transaction)
                return user == nil ? .refused : .unverified
            }
            return .passed(
                try issuer.issue(to: user, joining: link, in: transaction) { joined throws(DomainError) in
                    guard let proof, retires else { return }
                    try transaction.retireWeakPassword(of: &joined, key: proof.thumbprint, with: ready)
                })
        }
        switch finding {
        case .passed(let result): return try result.get()
        case .refused: throw .credentialRefused
        case .unverified: throw .emailUnverified
        }
    }

    private func compare(
        _ request: Request, _ candidates: [LogInIdentifier]
    ) async throws(DomainError) -> PasswordCheck.Outcome {
        try await check(
            request.password.revealed, of: .typed(candidates), in: request.application.id,
            from: request.client.address)
    }

    /// Asks the service that knew the users before about a password that was refused, and compares again with what it said.
    ///
    /// - Throws: `credentialRefused` for who is refused there too.
    private func migrated(
        after first: PasswordCheck.Outcome, _ request: Request, _ candidates: [LogInIdentifier], by hook: Hook,
        _ link: DeviceLink, _ issuer: SessionIssuer
    ) async throws(DomainError) -> PasswordCheck.Outcome {
        // Counted before anybody is asked: of guesses sent at once, those behind the limit end here.
        _ = try await store.write { transaction throws(DomainError) in
            try first.settle(in: transaction) { _ in true }
        }
        let isMigrated = try await migrate(
            first, candidates, password: request.password, hook, in: request.application,
            from: request.client.address, request.client.origin)
        guard isMigrated else {
            try await store.write { transaction throws(DomainError) in
                try link.use(in: transaction)
                try issuer.refuse(first.user, by: .password, in: transaction)
            }
            throw .credentialRefused
        }
        return try await compare(request, candidates)
    }

    private enum Finding: Sendable {
        /// The password fits; a second factor may be missing.
        case passed(Result<LogIn, DomainError>)
        case refused, unverified
    }
}

extension LogInWithPassword.Request {
    /// - Throws: `fieldsRefused` for what no user has, and for an end that has passed.
    fileprivate func refuseForm(at now: Timestamp) throws(DomainError) {
        let identifierRule = TextRule(
            maximumCharacters: max(320, application.settings.fieldRules.limits.userNameCharacters))
        var faults = identifierRule.faults(of: identifier, field: "identifier") + client.device.faults(field: "device")
        if let expiresAt, expiresAt <= now { faults.append(ValidationError(field: "expiresAt", rule: .inThePast)) }
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
    }

    /// Whether the user that was found is the one that was meant.
    fileprivate func names(_ user: User) -> Bool {
        user.isNamed(
            by: isSpelledExactly ? candidates : nil, requiredIdentifier: requiredIdentifier,
            isSpelledExactly: isSpelledExactly)
    }

    /// Whether what was typed names the user by an address that is verified where it must be, or by anything else.
    fileprivate func namesSurely(_ user: User, by candidates: [LogInIdentifier]) -> Bool {
        var unsure: Set<LogInIdentifier.Kind> = []
        if needsVerifiedEmail, user.emailVerifiedAt == nil { unsure.insert(.email) }
        if needsVerifiedPhone, user.phoneVerifiedAt == nil { unsure.insert(.phone) }
        guard !unsure.isEmpty else { return true }
        return user.typedIdentifiers.contains { identifier in
            !unsure.contains(identifier.kind) && candidates.contains { $0.isSame(as: identifier) }
        }
    }
}

extension User {
    /// Whether the user has one of some identifiers exactly as they are written, and another one beside it.
    ///
    /// - Parameters:
    ///   - candidates: Of which one must be the user's; `nil` when that is known.
    ///   - requiredIdentifier: What the user must have too; `nil` for nothing.
    ///   - isSpelledExactly: Whether capitals count.
    /// - Returns: whether it is so.
    func isNamed(by candidates: [LogInIdentifier]?, requiredIdentifier: LogInIdentifier?, isSpelledExactly: Bool)
        -> Bool
    {
        func has(_ wanted: LogInIdentifier) -> Bool {
            guard let own = identifier(wanted.kind).map({ LogInIdentifier(wanted.kind, shown: $0) }) else {
                return false
            }
            return isSpelledExactly ? own.spelling == wanted.spelling : own.folded == wanted.folded
        }
        return (candidates?.contains(where: has) ?? true) && (requiredIdentifier.map(has) ?? true)
    }
}
