/// Logs in the user to whom some identities lead, or makes a user to whom they lead from then on: what the mobile backends do
/// with a sign-up that holds `authData`.
package struct LogInWithIdentities: Sendable {
    let store: any Store
    let clock: any WallClock
    let issuers: SessionIssuers
    let sealingKey: SealingKey
    let registrar: UserRegistrar
    let changes: AccountChanges
    let askHook: AskHook

    package struct Request: Sendable {
        package var application: Application
        /// People whom providers vouched for; see `VerifyCredential`.
        package var people: [ExternalIdentity]
        package var anonymousId: AnonymousId?
        package var newUser: UserRegistration.Profile
        /// For a new user; a known one keeps its own.
        package var identifiers: NewIdentifiers
        /// For a new user with identifiers.
        package var password: Secret?
        /// Whose session it is asked in, when in one. Identities of somebody else are refused then.
        package var caller: Identifier<User>?
        package var client: LogInClient
        /// Whether an id that a client made leads to a new user once the old one is disabled: the old one loses it.
        package var leavesDisabledBehind = false
        /// Names the sign-up of a user to whom the password alone leads, so that `SignUp` knows its repetition.
        package var attempt: Attempt?

        package init(
            application: Application, people: [ExternalIdentity], anonymousId: AnonymousId?,
            newUser: UserRegistration.Profile = .init(), identifiers: NewIdentifiers,
            password: Secret? = nil, caller: Identifier<User>?, client: LogInClient
        ) {
            self.application = application
            self.people = people
            self.anonymousId = anonymousId
            self.newUser = newUser
            self.identifiers = identifiers
            self.password = password
            self.caller = caller
            self.client = client
        }
    }

    /// - Throws: `identityTaken` when the identities lead to two users, `identifiersTaken`, `fieldsRefused`,
    ///   `rateLimited`, `userDisabled`, `userDeleted`, `providerTokenReplayed`, `hookRefused`, `hookUnavailable`,
    ///   `storageUnavailable`.
    package func callAsFunction(_ request: Request) async throws(DomainError) -> LogIn {
        let now = clock.now
        let application = request.application.id
        let links = try IdentityLinks(
            request.people, request.anonymousId,
            by: request.people.first.map { Session.LogInMethod(rawValue: $0.provider.rawValue) }, in: application,
            sealingKey: sealingKey, at: now)
        var asked = UserRegistration.Request(
            .identities, in: request.application, request.newUser, identifiers: request.identifiers)
        asked.password = request.password
        asked.device = request.client.device
        asked.identities = links.identities
        var draft = registrar.draft(asked, at: now, approved: nil)
        try draft.refuseForm()
        let found = try await store.read { transaction throws(DomainError) in try links.owner(in: transaction) }
        let owner = request.leaves(found) ? nil : found
        // A password ends what an id of a client's making leads to, also where both come in one request.
        let hasPassword = owner == nil && request.password != nil && !draft.user.typedIdentifiers.isEmpty
        if hasPassword { draft.user.identities.removeAll { $0.provider == .anonymous } }
        let issuer = sessionIssuer(for: request, isSignUp: false, at: now)
        // Not for whom the identities lead to by the time of the transaction: that password was compared with none.
        let registering =
            hasPassword
            ? sessionIssuer(for: request, isSignUp: request.people.isEmpty, at: now) : issuer
        let ready = try changes.ready(
            [request.leaves(found) ? .identityUnlinked : .identityLinked], of: found ?? draft.user,
            in: request.application, by: .unknown(showing: .recentLogIn, from: request.client.origin), at: now)
        let registration =
            owner == nil
            ? try await registrar.ready(
                draft, from: request.client.address, request.client.origin, isCounted: false,
                vouched: request.people.first?.email)
            : draft
        let isApproved = try await isApproved(links, of: owner, request)
        return try await store.write { transaction throws(DomainError) in
            func register() throws(DomainError) -> LogIn {
                let made = try registration.store(in: transaction, joining: nil, session: registering)
                for person in request.people { try transaction.markUsed(person, in: application) }
                try links.keepAccounts(in: transaction)
                try links.keepAnonymousId(of: made.user, in: transaction)
                // With an issuer there always is one.
                guard let logIn = made.logIn else { throw .storageUnavailable }
                return logIn
            }
            guard var known = try links.carriedOver(in: transaction) else { return try register() }
            let before = known
            if request.leaves(known), owner == nil {
                try links.leave(&known, in: transaction)
                try ready.settle(
                    AccountChange.between(before, known), of: &known, keeping: .nothing, by: .server, in: transaction)
                return try register()
            }
            guard request.caller == nil || request.caller == known.id else { throw .identityTaken }
            try links.join(&known, in: transaction)
            try request.application.requireApproval(isApproved, ofUpgrade: before, to: known)
            try ready.settle(
                AccountChange.between(before, known), of: &known, keeping: .nothing, by: .owner(known.id),
                in: transaction)
            return try issuer.issue(to: known, in: transaction)
        }
    }

    private func sessionIssuer(for request: Request, isSignUp: Bool, at now: Timestamp) -> SessionIssuer {
        let provider = request.people.first?.provider ?? .anonymous
        let method: Session.LogInMethod = isSignUp ? .signUp : .init(rawValue: provider.rawValue)
        let asked = SessionIssuer.Request(
            request.application, request.client.protocolName, by: method, on: request.client.holder(key: nil),
            attempt: isSignUp ? request.attempt : nil,
            // Not of log-ins by ids that clients make, which are automatic: the session is their record.
            record: method == .anonymous ? .nothing : .logIn(from: request.client.origin))
        return issuers.issuer(
            for: isSignUp ? asked : asked.proven(by: request.people.isEmpty ? [] : .provider), at: now)
    }

    /// Asks the application's hook, where the identities make an anonymous user a registered one.
    private func isApproved(
        _ links: IdentityLinks, of owner: User?, _ request: Request
    ) async throws(DomainError) -> Bool {
        guard let owner, request.caller == nil || request.caller == owner.id else { return false }
        var joined = owner
        joined.identities += links.identities
        return try await askHook.beforeUpgrade(
            of: owner, to: joined, vouched: request.people.first?.email, from: request.client.origin,
            in: request.application)
    }
}

extension LogInWithIdentities.Request {
    /// Whether a user whom nothing but an id of the client's making led to is out of use.
    fileprivate func leaves(_ user: User?) -> Bool {
        leavesDisabledBehind && people.isEmpty && caller == nil && user?.isDisabled == true
    }
}
