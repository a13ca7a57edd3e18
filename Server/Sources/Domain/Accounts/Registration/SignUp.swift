/// Makes a user with identifiers and a password, and logs it in.
package struct SignUp: Sendable {
    let store: any Store
    let clock: any WallClock
    let check: PasswordCheck
    let registrar: UserRegistrar
    let issuers: SessionIssuers
    let judgeFirstLaunch: JudgeFirstLaunch

    package struct Request: Sendable {
        package var application: Application
        package var identifiers: NewIdentifiers
        /// Must be there; `nil` is refused with everything else that is wrong.
        package var password: Secret?
        package var newUser: UserRegistration.Profile
        package var client: LogInClient
        package var attempt: Attempt?
        /// An earlier end of the session than its protocol's.
        package var expiresAt: Timestamp?
        /// Set for a hosted page, whose sign-ups are judged like first launches where the application has rules for them.
        package var page: Page?

        /// What a browser brings.
        package struct Page: Sendable {
            /// What names the browser.
            package var browser: String
            package var work: PresentedWork?

            package init(browser: String, work: PresentedWork?) {
                self.browser = browser
                self.work = work
            }
        }

        package init(
            application: Application, identifiers: NewIdentifiers, password: Secret?,
            newUser: UserRegistration.Profile = .init(), client: LogInClient, attempt: Attempt? = nil,
            expiresAt: Timestamp? = nil, page: Page? = nil
        ) {
            self.application = application
            self.identifiers = identifiers
            self.password = password
            self.newUser = newUser
            self.client = client
            self.attempt = attempt
            self.expiresAt = expiresAt
            self.page = page
        }
    }

    /// What the first transaction found.
    private enum Finding: Sendable {
        case made(LogIn)
        case taken([LogInIdentifier.Kind])
        /// The attempt's own user, made by an earlier try whose answer was lost.
        case repeated(User)
    }

    /// What came of a repetition.
    private enum Repetition: Sendable {
        case answered(LogIn)
        /// The session of the first try has ended, or now asks for a second factor.
        case over
        case refused
    }

    /// - Throws: `fieldsRefused`, `identifiersTaken`, `proofRequired`, `proofRefused`, `proofReplayed`, `clockSkew`,
    ///   `rateLimited`, `proofOfWorkRequired`, `busy`, `attemptReused`, `storageUnavailable`.
    package func callAsFunction(_ request: Request) async throws(DomainError) -> LogIn {
        let now = clock.now
        let proof = try request.client.verifiedProof(in: request.application, at: now)
        let application = request.application.id
        var asked = UserRegistration.Request(
            .signUp, in: request.application, request.newUser, identifiers: request.identifiers)
        asked.password = request.password
        asked.device = request.client.device
        let draft = registrar.draft(asked, at: now, approved: nil)
        let work = try await judge(draft, request)
        let registration = try await registrar.ready(
            draft, from: request.client.address, request.client.origin, isCounted: work.isJudged,
            vouched: nil)
        let link = DeviceLink(
            proof: proof, joins: request.client.joinsDevice, by: .signUp, in: application, now: now,
            audit: issuers.audit)
        let issuer = issuers.issuer(
            for: .init(
                request.application, request.client.protocolName, by: .signUp,
                on: request.client.holder(key: proof),
                attempt: request.attempt, expiresAt: request.expiresAt, record: .logIn(from: request.client.origin)),
            at: now)
        let finding = try await store.write { transaction throws(DomainError) -> Finding in
            try link.use(in: transaction)
            if let used = work.used, try !transaction.markUsed(used, in: application) {
                // A browser that sends the form again sends the same work.
                guard let owner = try repeatedOwner(registration, by: issuer, at: now, in: transaction) else {
                    throw .proofReplayed
                }
                return .repeated(owner)
            }
            do throws(DomainError) {
                let made = try registration.store(in: transaction, joining: link, session: issuer)
                // With an issuer there always is one.
                guard let logIn = made.logIn else { throw .storageUnavailable }
                return .made(logIn)
            } catch {
                guard error.code == .identifiersTaken else { throw error }
                let owner = try repeatedOwner(registration, by: issuer, at: now, in: transaction)
                return owner.map { Finding.repeated($0) } ?? .taken(error.identifierKinds)
            }
        }
        switch finding {
        case .made(let logIn): return logIn
        case .taken(let kinds): throw .identifiersTaken(kinds)
        case .repeated(let owner): return try await repeated(request, of: owner, by: issuer)
        }
    }

    /// The user whom an earlier try of the attempt has made; `nil` where none has. Later, or with a second factor by now, it would be
    /// a log-in that asks for none.
    private func repeatedOwner(
        _ registration: UserRegistration, by issuer: SessionIssuer, at now: Timestamp, in transaction: any Transaction
    ) throws(DomainError) -> User? {
        let user = registration.user
        let owners = try transaction.owners(of: user.typedIdentifiers, in: user.application)
        guard let owner = owners.first?.user, now < owner.createdAt + RememberAttempt.memory, owner.hasPassword,
            !owner.hasSecondFactor, try issuer.hasIssued(to: owner, in: transaction)
        else { return nil }
        return owner
    }

    /// The answer to a repetition, when the password is right. It counts as at any log-in, right or wrong: a caller who guesses the
    /// attempt's name learns nothing without the password.
    private func repeated(
        _ request: Request, of owner: User, by issuer: SessionIssuer
    ) async throws(DomainError) -> LogIn {
        guard let password = request.password else { throw .attemptReused }
        let outcome = try await check(
            password.revealed, of: .typed(owner.typedIdentifiers), in: request.application.id,
            from: request.client.address)
        let repetition = try await store.write { transaction throws(DomainError) -> Repetition in
            guard let user = try outcome.settle(in: transaction, isMeant: { $0.id == owner.id }) else {
                return .refused
            }
            guard !user.hasSecondFactor, let logIn = try issuer.repeated(for: user, in: transaction) else {
                return .over
            }
            return .answered(logIn)
        }
        switch repetition {
        case .answered(let logIn): return logIn
        case .over: throw .identifiersTaken(owner.typedIdentifiers.map(\.kind))
        case .refused: throw .attemptReused
        }
    }

    /// - Returns: whether the application's budgets stand for the address' limit, and what marks work as used.
    private func judge(
        _ draft: UserRegistration, _ request: Request
    ) async throws(DomainError) -> (isJudged: Bool, used: UsedProof?) {
        guard let page = request.page, request.application.settings.attestation.mode != .off else {
            return (false, nil)
        }
        // What is wrong in the form costs no work.
        _ = try draft.judged()
        let launch = JudgeFirstLaunch.Launch(
            application: request.application, key: page.browser, address: request.client.address, isPage: true)
        return (true, try await judgeFirstLaunch(launch, FirstLaunchEvidence(work: page.work)))
    }
}
