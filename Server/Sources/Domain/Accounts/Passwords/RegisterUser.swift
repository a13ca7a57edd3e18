/// Makes a user as apps of foreign protocols do: with identifiers and a password, or with nothing that a person could
/// type; with a session or without.
package struct RegisterUser: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let passwords: any PasswordHashing
    let rateLimiter: RateLimiter
    let changes: AccountChanges
    /// New users allowed for one address or /64 network, first launches among them; `nil` for no limit.
    let newUsers: RateLimit?

    package struct Request: Sendable {
        package var application: Application
        package var protocolName: Session.ProtocolName
        package var identifiers: NewIdentifiers
        package var password: Secret?
        package var profile: LogInAutomatically.NewUser
        /// Whether the answer has a session. A user without identifiers always has one: nothing else leads to it.
        package var opensSession: Bool
        package var address: ClientAddress
        /// Where the request came from, for the audit log.
        package var origin: RequestOrigin

        package init(
            application: Application, protocolName: Session.ProtocolName, identifiers: NewIdentifiers,
            password: Secret?, profile: LogInAutomatically.NewUser = .init(), opensSession: Bool,
            address: ClientAddress, origin: RequestOrigin
        ) {
            self.application = application
            self.protocolName = protocolName
            self.identifiers = identifiers
            self.password = password
            self.profile = profile
            self.opensSession = opensSession
            self.address = address
            self.origin = origin
        }
    }

    package struct Answer: Sendable {
        package var user: User
        /// The only time that the token is told.
        package var token: Secret?
        /// When the token ends, if that is before the session.
        package var tokenExpiresAt: Timestamp?
    }

    /// - Throws: `fieldsRefused`, also for identifiers without a password or the reverse, and for a user without both that
    ///   wants no session; `identifiersTaken`, `rateLimited`, `busy`, `storageUnavailable`.
    package func callAsFunction(_ request: Request) async throws(DomainError) -> Answer {
        let now = clock.now
        var candidate = User(
            id: randomness.newIdentifier(at: now), application: request.application.id,
            displayName: request.profile.displayName, locale: request.profile.locale, fields: request.profile.fields,
            createdAt: now, updatedAt: now)
        let password = try checked(request, &candidate)
        if let newUsers {
            let key = RateLimitKey(
                application: request.application.id, kind: RateLimitKey.firstLaunch,
                subject: request.address.allowanceGroup)
            try await rateLimiter(key, limit: newUsers)
        }
        var hash: PasswordHash?
        if let password { hash = try await passwords.hash(password) }
        if hash != nil { candidate.passwordSetAt = now }
        let opening = SessionIssuer(
            application: request.application, deviceKey: nil, device: DeviceDescription(),
            address: request.address.text, protocolName: request.protocolName,
            method: password == nil ? .automatic : .signUp, attempt: nil, randomness: randomness, now: now)
        let ready = try changes.ready(
            [.created], of: candidate, in: request.application,
            by: Operator(actor: .user(candidate.id), origin: request.origin), at: now)
        let isWeak = password?.isName(of: candidate) ?? false
        let (user, opensSession, kept) = (candidate, request.opensSession, hash)
        let (rules, actor) = (request.application.settings.fieldRules, request.profile.actor)
        return try await store.write { transaction throws(DomainError) in
            try transaction.refuseTaken(user)
            var answer: Answer
            if opensSession {
                let logIn = try opening.open(forNew: user, by: actor, in: transaction)
                answer = Answer(user: logIn.user, token: logIn.token, tokenExpiresAt: logIn.tokenExpiresAt)
            } else {
                answer = Answer(user: try rules.registered(user, by: actor))
                try transaction.insert(answer.user)
                try transaction.updateIdentifiers(of: user)
            }
            if let kept { try transaction.setPassword(kept, of: user.id, in: user.application, at: now) }
            if isWeak { try transaction.markPassword(of: user.id, in: user.application, weakSince: now) }
            try transaction.forgive(user, from: request.address, at: now)
            // Not of automatic ones, whose session is their record.
            if kept != nil {
                try ready.settle(
                    [.created: answer.user.identifierDetails], of: &answer.user, keeping: .nothing, in: transaction)
            }
            return answer
        }
    }

    private func checked(_ request: Request, _ user: inout User) throws(DomainError) -> Password? {
        var faults = request.identifiers.apply(to: &user)
        faults += ProfileRules.faults(displayName: user.displayName, locale: user.locale, fields: user.fields)
        faults += request.application.settings.fieldRules.faults(registering: user, by: request.profile.actor)
        if user.isAnonymous, request.password == nil, request.opensSession, faults.isEmpty { return nil }
        if faults.isEmpty, user.isAnonymous, request.password != nil {
            faults.append(ValidationError(field: "", rule: .noneOf(LogInIdentifier.Kind.allCases.map(\.rawValue))))
        }
        return try PasswordRules(for: request.application, user: user, rules: request.identifiers.rules)
            .check(request.password, field: "password", beside: faults)
    }
}
