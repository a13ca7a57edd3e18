/// The way of admins to their OpenID Connect provider and back: state, nonce and PKCE as on the way of users, with the
/// server's own settings.
package struct AdminSignOn: Sendable {
    /// Ways that end with a code, right or wrong, from one address or /64 network.
    package static let tries = RateLimit.hourly(60)
    /// What an address of this server is at most, to which a step-up leads back.
    private static let maximumContinuationBytes = 500
    /// How far the provider's clock may be from ours.
    private static let skew: Duration = .seconds(60)
    private static let provider = Identity.Provider(rawValue: "oidc:admins")

    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let settings: AdminSignOnSettings?
    let audit: AuditTrail
    let secondFactor: AdminSecondFactor
    private let providers: IdentityProviders
    private let startAuthorization: StartAuthorization
    private let readState: ReadAuthorizationState
    private let rateLimiter: RateLimiter
    private let hasLimits: Bool

    init(_ world: DomainWorld, providers: Providers, rateLimiter: RateLimiter, audit: AuditTrail) {
        (store, clock, randomness) = (world.store, world.clock, world.randomness)
        settings = world.services.adminSignOn
        self.audit = audit
        secondFactor = world.services.adminSecondFactor
        self.providers = world.services.providers
        startAuthorization = providers.startAuthorization
        readState = providers.readAuthorizationState
        self.rateLimiter = rateLimiter
        hasLimits = world.limits.hasRateLimits
    }

    package var isOffered: Bool { settings != nil }

    /// Whether no admin comes in by a password.
    ///
    /// - Throws: `storageUnavailable`.
    package func refusesPasswords() async throws(DomainError) -> Bool {
        guard let settings, settings.endsPasswords else { return false }
        return try await store.read { transaction throws(DomainError) in try transaction.refusesPasswords(settings) }
    }

    /// The browser that goes, and where it comes back to.
    package struct Browser: Sendable {
        package var cookie: String
        package var redirectURI: String
        package var client: ClientAddress
        package var origin: RequestOrigin

        package init(cookie: String, redirectURI: String, client: ClientAddress, origin: RequestOrigin) {
            self.cookie = cookie
            self.redirectURI = redirectURI
            self.client = client
            self.origin = origin
        }
    }

    /// What came back.
    package struct Returned: Sendable {
        let state: ReadAuthorizationState.Returned
        let admin: AdminAuthorization
        let code: Secret
        let browser: Browser

        /// Counts once, whatever the provider does with the code.
        fileprivate var once: UsedProof { UsedProof(.providerToken, state.nonce.digest, until: state.endsAt) }
        /// The path that a step-up leads back to.
        package var continuation: String? { state.continuation }

        /// What a browser was sent for.
        package enum Purpose: Hashable, Sendable { case logIn, link, reauthenticate, setUp }

        package var purpose: Purpose {
            switch admin.purpose {
            case .logIn: .logIn
            case .link: .link
            case .reauthenticate: .reauthenticate
            case .setUp: .setUp
            }
        }
    }

    /// The address of the provider for a log-in.
    ///
    /// - Throws: `providerNotEnabled`, `providerUnavailable`, `providerMisconfigured`.
    package func start(for browser: Browser) async throws(DomainError) -> Secret {
        try await leave(browser, AdminAuthorization(purpose: .logIn), name: nil, continuation: nil)
    }

    /// The same for the proof that the admin of a session is still there: they log in at the provider anew.
    ///
    /// - Throws: `administration(adminRequired)` for a program's key, and what `start` throws.
    package func startReauthentication(
        of access: AdminAccess, for browser: Browser, continuation: String
    ) async throws(DomainError) -> Secret {
        let admin = try access.person()
        return try await leave(
            browser, AdminAuthorization(purpose: .reauthenticate, admin: admin.id.rawValue), name: admin.name,
            continuation: continuation)
    }

    func leave(
        _ browser: Browser, _ admin: AdminAuthorization, name: String?, continuation: String?
    ) async throws(DomainError) -> Secret {
        let found = try found(redirectURI: browser.redirectURI)
        var request = StartAuthorization.Request(
            provider: Self.provider, redirectURI: browser.redirectURI, cookie: browser.cookie,
            continuation: continuation.flatMap { $0.utf8.count <= Self.maximumContinuationBytes ? $0 : nil },
            linking: nil, hint: name.flatMap { $0.contains("@") ? $0 : nil })
        request.admin = admin
        return try await startAuthorization.leave(request, for: found, in: AuditEntry.server).address
    }

    /// Reads what came back with a browser.
    ///
    /// - Parameters:
    ///   - state: As the provider brings it back.
    ///   - code: As the provider gives it; `nil` when it gave none.
    ///   - browser: Which one came.
    /// - Returns: `nil` for what is not this browser's, or too old, or has no code.
    package func returned(state: String, code: String?, to browser: Browser) -> Returned? {
        guard let code, !code.isEmpty,
            let read = readState(state, kept: nil, cookie: browser.cookie, in: AuditEntry.server),
            let admin = read.admin
        else { return nil }
        return Returned(state: read, admin: admin, code: Secret(code), browser: browser)
    }

    /// Logs an admin in whom the provider vouches for, or makes one by the rule of the mail domain.
    ///
    /// - Throws: `credentialRefused` for a person who may not come in, whatever the reason; `providerRefused`,
    ///   `providerTokenRefused`, `providerTokenReplayed`, `providerUnavailable`, `providerMisconfigured`, `rateLimited`,
    ///   `storageUnavailable`.
    package func logIn(_ returned: Returned) async throws(DomainError) -> LogInAdmin.Done {
        guard returned.purpose == .logIn else { throw .providerRefused }
        let (person, now, token) = (
            try await person(returned, .adminLoggedIn), clock.now, AdminSession.newToken(randomness)
        )
        let candidate = candidate(person, at: now)
        let made = audit.draft(
            .adminCreated, by: .provider(Self.provider), in: AuditEntry.server, from: returned.browser.origin)
        return try await settle(returned, person, .adminLoggedIn) { identity, transaction throws(DomainError) in
            var found = try transaction.adminIdentity(identity.id)
            if found == nil, let candidate, try transaction.admin(named: candidate.foldedName) == nil {
                let joined = identity.leading(to: candidate.id)
                try transaction.insert(candidate)
                try transaction.insert(joined)
                try made.record(on: .admin(candidate.id), details: ["role": candidate.role.rawValue], in: transaction)
                found = joined
            }
            guard let found, var admin = try transaction.admin(found.admin), !admin.isDisabled,
                secondFactor.admits(admin)
            else { return nil }
            admin.lastLogInAt = now
            try transaction.update(admin)
            // A log-in there long ago counts as a log-in, but proves no presence.
            let credential = AdminSession.Credential.identity(
                found, authenticatedAt: person.authenticatedAt ?? now - AdminSession.freshness)
            try transaction.insert(
                AdminSession(digest: token.digest, admin: admin.id, createdAt: now, by: credential, at: now))
            return (
                admin.id,
                LogInAdmin.Done(
                    admin: admin, token: token, expiresAt: now + AdminSession.lifetime, recoveryCodesLeft: nil)
            )
        }
    }

    /// Makes a session fresh, as `ReauthenticateAdmin` does, for ten minutes from the log-in at the provider.
    ///
    /// - Throws: `administration(adminRequired)`, `credentialRefused` for another person than the session's admin,
    ///   and what `logIn` throws.
    package func reauthenticate(
        _ returned: Returned, token: Secret, by access: AdminAccess
    ) async throws(DomainError) -> ReauthenticateAdmin.Done {
        let caller = try access.person()
        guard returned.purpose == .reauthenticate, returned.admin.admin == caller.id.rawValue else {
            throw .providerRefused
        }
        let person = try await person(returned, .adminReauthenticated)
        let (now, before, fresh) = (clock.now, token.digest, AdminSession.newToken(randomness))
        guard let authenticatedAt = person.authenticatedAt, authenticatedAt >= returned.state.startedAt - Self.skew
        else {
            // The provider let an old session pass, or does not say.
            try await recordRefusal(.providerTokenRefused(.authenticationTime), returned, .adminReauthenticated)
            throw .providerTokenRefused(.authenticationTime)
        }
        return try await settle(returned, person, .adminReauthenticated) { identity, transaction throws(DomainError) in
            guard let found = try transaction.adminIdentity(identity.id), found.admin == caller.id,
                let admin = try transaction.admin(caller.id), !admin.isDisabled, secondFactor.admits(admin)
            else { return nil }
            let expiresAt = try transaction.renew(
                before, as: fresh.digest, of: admin.id, by: .identity(found, authenticatedAt: authenticatedAt), at: now)
            return (
                admin.id,
                ReauthenticateAdmin.Done(
                    token: fresh, access: access, at: min(authenticatedAt, now), expiresAt: expiresAt,
                    recoveryCodesLeft: nil)
            )
        }
    }

    /// Exchanges the code: who is there.
    func person(
        _ returned: Returned, _ action: AuditEntry.Action
    ) async throws(DomainError) -> ExternalIdentity {
        if hasLimits {
            try await rateLimiter(
                kind: "admin-sign-on", in: AuditEntry.server, from: returned.browser.client,
                limit: AddressLimit(Self.tries))
        }
        do throws(DomainError) {
            let found = try found(redirectURI: returned.browser.redirectURI)
            // The settings may be others since.
            guard returned.state.audience == settings?.clientId else { throw .providerRefused }
            let person = try await found.provider.redeem(
                ProviderCredential.AuthorizationCode(
                    code: returned.code, verifier: returned.state.verifier,
                    redirectURI: returned.browser.redirectURI, audience: returned.state.audience),
                nonce: returned.state.nonce, of: nil, for: found.configured)
            if let time = person.authenticatedAt, time > clock.now + Self.skew {
                throw .providerTokenRefused(.authenticationTime)
            }
            return person
        } catch {
            if error.kind != .unavailable { try await recordRefusal(error, returned, action) }
            throw error
        }
    }

    /// Lets an answer of the provider count, once, and settles what follows in the same transaction.
    ///
    /// - Parameters:
    ///   - returned: What came back.
    ///   - person: Whom the provider vouches for.
    ///   - action: What stands in the audit log of it, right or wrong.
    ///   - details: What else stands there.
    ///   - work: Returns whom it was about; `nil` for a person who may not come in.
    /// - Returns: what `work` returned.
    /// - Throws: `providerTokenReplayed`, `credentialRefused`, `storageUnavailable`, and what `work` throws.
    func settle<Value: Sendable>(
        _ returned: Returned, _ person: ExternalIdentity, _ action: AuditEntry.Action,
        details: @escaping @Sendable (Value) -> [String: String] = { _ in [:] },
        _ work: @escaping @Sendable (AdminIdentity, any Transaction) throws(DomainError) -> (Identifier<Admin>, Value)?
    ) async throws(DomainError) -> Value {
        guard let settings else { throw .providerNotEnabled }
        let identity = AdminIdentity(
            issuer: settings.issuer, subject: person.subject, admin: Identifier(rawValue: ""), linkedAt: clock.now)
        let entry = audit.draft(action, by: .unknown, in: AuditEntry.server, from: returned.browser.origin)
        let result = try await store.write { transaction throws(DomainError) -> Result<Value, DomainError> in
            func refuse(_ error: DomainError) throws(DomainError) -> Result<Value, DomainError> {
                let known = try transaction.adminIdentity(identity.id)
                try entry.record(
                    on: known.map { .admin($0.admin) }, result: .refused, details: ["fault": error.code.rawValue],
                    in: transaction)
                return .failure(error)
            }
            guard try transaction.markUsed(returned.once, in: AuditEntry.server) else {
                return try refuse(.providerTokenReplayed)
            }
            guard let (admin, value) = try work(identity, transaction) else { return try refuse(.credentialRefused) }
            try entry.record(
                on: .admin(admin), by: .admin(admin),
                details: details(value).merging(["second-factor": "provider"]) { $1 }, in: transaction)
            return .success(value)
        }
        return try result.get()
    }

    private func recordRefusal(
        _ error: DomainError, _ returned: Returned, _ action: AuditEntry.Action
    ) async throws(DomainError) {
        let entry = audit.draft(action, by: .unknown, in: AuditEntry.server, from: returned.browser.origin)
        try await store.write { transaction throws(DomainError) in
            try entry.record(
                on: nil, result: .refused, details: ["fault": error.code.rawValue], in: transaction)
        }
    }

    private func found(redirectURI: String) throws(DomainError) -> FindProvider.Found {
        guard let settings, let provider = providers.admins else { throw .providerNotEnabled }
        return FindProvider.Found(
            provider: provider,
            configured: ConfiguredProvider(
                application: AuditEntry.server,
                settings: ProviderSettings(
                    provider: Self.provider, audiences: [settings.clientId], issuer: settings.issuer,
                    redirectURIs: [redirectURI]),
                secret: settings.secret))
    }

    /// Whom the rule of the mail domain would make an admin.
    private func candidate(_ person: ExternalIdentity, at now: Timestamp) -> Admin? {
        guard let settings, settings.takes(person), let joining = settings.joining, let email = person.email,
            Admin.nameRule.faults(of: email.address, field: "name").isEmpty
        else { return nil }
        return Admin(
            id: randomness.newIdentifier(at: now), name: email.address, role: joining.role, applications: nil,
            createdAt: now)
    }
}

extension AdminIdentity {
    /// The same identity as another admin's.
    func leading(to admin: Identifier<Admin>) -> AdminIdentity {
        AdminIdentity(issuer: issuer, subject: subject, admin: admin, linkedAt: linkedAt)
    }
}
