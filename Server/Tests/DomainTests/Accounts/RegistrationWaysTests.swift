import Domain
import OkaeriWire
import Storage
import StorageSQLite
import TestWorld
import Testing

/// Every way to register, through its use case and the database.
@Suite("Every way to register")
struct RegistrationWaysTests {
    /// A way to register, and what it leaves.
    enum Kind: CaseIterable {
        case signUp, signUpForeign, account, accountWithSession, pseudoUser, people, clientId, mail, device, importing,
            admin

        /// What stands in the audit log.
        var actions: [AuditEntry.Action] {
            switch self {
            case .signUp, .signUpForeign, .people: [.loggedIn]
            case .account, .accountWithSession, .mail, .admin: [.userCreated]
            case .pseudoUser, .clientId, .device, .importing: []
            }
        }

        var opensSession: Bool {
            switch self {
            case .account, .mail, .importing, .admin: false
            case .signUp, .signUpForeign, .accountWithSession, .pseudoUser, .people, .clientId, .device: true
            }
        }

        /// Whether a second request of the same kind is a log-in, or changes nothing, instead of being refused.
        var isRepeatable: Bool {
            switch self {
            case .signUp, .signUpForeign, .account, .accountWithSession, .mail, .admin: false
            case .pseudoUser, .people, .clientId, .device, .importing: true
            }
        }
    }

    /// Everything that two requests of one person share.
    struct Person: Sendable {
        let device = TestDevice()
        var identifiers = NewIdentifiers(username: .set("hana"), rules: .native)
        var profile = UserRegistration.Profile(displayName: "Hana", fields: ["team": .string("red")])
    }

    static let password = Secret("four quiet words")
    let world: TestWorld

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server), mail: .outbox)
    }

    /// Registers; what it gives tells whether a session was opened.
    @discardableResult
    static func register(
        _ kind: Kind, _ person: Person, in application: Application, _ world: TestWorld
    ) async throws -> Bool {
        let (address, origin) = (TestWorld.address, RequestOrigin.local)
        switch kind {
        case .signUp, .signUpForeign:
            _ = try await world.modules.logIns.signUp(
                SignUp.Request(
                    application: application, identifiers: person.identifiers, password: password,
                    newUser: person.profile,
                    client: LogInClient(
                        kind == .signUp ? .native : .single, from: address, origin: RequestOrigin(address: address.text)
                    )))
            return true
        case .account, .accountWithSession, .pseudoUser:
            let isPseudo = kind == .pseudoUser
            return try await world.modules.logIns.registerUser(
                RegisterUser.Request(
                    application: application, protocolName: .endless,
                    identifiers: isPseudo ? NewIdentifiers(rules: .native) : person.identifiers,
                    password: isPseudo ? nil : password,
                    profile: person.profile, opensSession: kind != .account, address: address, origin: origin)
            ).token != nil
        case .people, .clientId:
            let id = AnonymousId(subject: "client made")
            let identity = ExternalIdentity(
                provider: Identity.Provider(rawValue: "oidc:test"), subject: "subject", audience: "audience")
            _ = try await world.modules.logIns.logInWithIdentities(
                LogInWithIdentities.Request(
                    application: application, people: kind == .people ? [identity] : [],
                    anonymousId: kind == .people ? nil : id, newUser: person.profile,
                    identifiers: NewIdentifiers(rules: .native), caller: nil,
                    client: LogInClient(
                        .yearly, from: address, origin: origin)))
            return true
        case .mail:
            let token = try await mailedToken(to: "hana@example.com", in: application, world)
            try await world.modules.accounts.resetPassword(
                ResetPassword.Request(
                    application: application, token: token, newPassword: password, address: address, origin: origin,
                    rules: .native))
            return false
        case .device:
            _ = try await world.modules.logIns.logInAutomatically(
                .init(
                    application: application, proof: try person.device.presented(at: world.clock.now),
                    newUser: person.profile, address: address))
            return true
        case .importing:
            var user = User(
                id: Identifier(rawValue: "imported"), application: application.id,
                displayName: person.profile.displayName, locale: person.profile.locale, fields: person.profile.fields,
                createdAt: world.clock.now, updatedAt: world.clock.now)
            user.username = "hana"
            user.acl = person.profile.acl
            let outcome = try await world.modules.imports.importUsers(
                [ImportedUser(user: user, password: password)], into: application.id, of: .yearly, isRehearsal: false)
            if case .refused(let faults) = outcome.first { throw DomainError.fieldsRefused(faults) }
            return false
        case .admin:
            _ = try await world.modules.accounts.createUser(
                person.identifiers, person.profile, in: application, by: .local)
            return false
        }
    }

    /// Orders the mail by which an address registers, and reads what it says to copy.
    private static func mailedToken(
        to email: String, in application: Application, _ world: TestWorld
    ) async throws -> String {
        try await world.modules.logIns.registerByMail(
            email: email, in: application, languages: [], from: TestWorld.address)
        _ = try await world.modules.messaging.deliverMail()
        let mail = try #require(try await world.modules.messaging.readOutbox(of: application.id).first)
        let line = mail.text.split(separator: "\n").first {
            $0.split(separator: "-").map(\.count) == Array(repeating: 4, count: 7)
        }
        return String(try #require(line, "\(mail.text)"))
    }

    private func users(in application: Application) async throws -> [User] {
        try await world.engine.read { transaction throws(DomainError) in
            try transaction.users(in: application.id, after: nil, limit: 100)
        }
    }

    @Test(
        "makes one user with all that was asked, its session and its entry in the audit log", arguments: Kind.allCases)
    func one(kind: Kind) async throws {
        let application = try await world.makeApplication()
        #expect(try await Self.register(kind, Person(), in: application, world) == kind.opensSession)
        let users = try await users(in: application)
        let user = try #require(users.first)
        #expect(users.count == 1)
        if kind != .mail {
            #expect(user.displayName == "Hana" && user.fields == ["team": .string("red")])
        }
        let sessions = try await world.modules.sessions.listSessions(of: user.id, in: application)
        #expect(sessions.count == (kind.opensSession ? 1 : 0))
        #expect((user.lastLogInAt != nil) == kind.opensSession && user.previousLogInAt == nil)
        let entries = try await world.modules.administration.audit.list(
            in: application.id, matching: AuditFilter(target: .user(user.id)))
        #expect(entries.map(\.action) == kind.actions)
    }

    /// Of twenty mails each makes the one before void: see `mailRace`.
    @Test("makes one user of twenty requests at once", arguments: Kind.allCases.filter { $0 != .mail })
    func race(kind: Kind) async throws {
        let application = try await world.makeApplication()
        let (world, person) = (world, Person())
        let refusals = try await withThrowingTaskGroup(of: DomainError?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    await world.refusal { try await Self.register(kind, person, in: application, world) }
                }
            }
            return try await group.reduce(into: [DomainError]()) { if let refusal = $1 { $0.append(refusal) } }
        }
        // Of somebody without a name each request is another person.
        let count = kind == .pseudoUser ? 20 : 1
        #expect(try await users(in: application).count == count)
        #expect(refusals.count == (kind.isRepeatable ? 0 : 19))
        #expect(refusals.allSatisfy { $0 == .identifiersTaken([.username]) })
    }

    @Test("makes one user of twenty tries with the token of one mail at once, and nobody before")
    func mailRace() async throws {
        let application = try await world.makeApplication()
        let token = try await Self.mailedToken(to: "hana@example.com", in: application, world)
        #expect(try await users(in: application).isEmpty)
        let world = world
        let refusals = try await withThrowingTaskGroup(of: DomainError?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    await world.refusal {
                        try await world.modules.accounts.resetPassword(
                            ResetPassword.Request(
                                application: application, token: token, newPassword: Self.password,
                                address: TestWorld.address, origin: .local, rules: .native))
                    }
                }
            }
            return try await group.reduce(into: [DomainError]()) { if let refusal = $1 { $0.append(refusal) } }
        }
        let users = try await users(in: application)
        #expect(users.count == 1 && users.first?.email == "hana@example.com" && users.first?.emailVerifiedAt != nil)
        #expect(refusals.count == 19 && refusals.allSatisfy { $0 == .codeRefused }, "\(refusals)")
    }

    @Test("holds no address for a mail that nobody followed: somebody else signs up with it, and the token is void")
    func unfollowed() async throws {
        let application = try await world.makeApplication()
        let token = try await Self.mailedToken(to: "hana@example.com", in: application, world)
        let identifiers = NewIdentifiers(username: .set("hana"), email: .set("hana@example.com"), rules: .native)
        _ = try await world.modules.logIns.signUp(
            SignUp.Request(
                application: application, identifiers: identifiers, password: Self.password,
                client: LogInClient(
                    .native, from: TestWorld.address, origin: RequestOrigin(address: TestWorld.address.text))))
        let request = ResetPassword.Request(
            application: application, token: token, newPassword: Self.password, address: TestWorld.address,
            origin: .local, rules: .native)
        let refusal = await world.refusal { try await world.modules.accounts.resetPassword(request) }
        #expect(refusal == .identifiersTaken([.email]))
        #expect(try await users(in: application).count == 1)
    }

    @Test("holds no address by a name that reads the same: its owner, whom a mail reached, registers")
    func mailedDespiteName() async throws {
        let application = try await world.makeApplication()
        let mallory = try await world.modules.logIns.signUp(
            SignUp.Request(
                application: application,
                identifiers: NewIdentifiers(username: .set("hana@example.com"), rules: .samples),
                password: Secret("a stranger's secret"),
                client: LogInClient(.native, from: TestWorld.address, origin: .local)))
        try await world.modules.accounts.resetPassword(
            ResetPassword.Request(
                application: application,
                token: try await Self.mailedToken(to: "hana@example.com", in: application, world),
                newPassword: Self.password, address: TestWorld.address, origin: .local, rules: .native))
        let hana = try await world.logIn("hana@example.com", Self.password, to: application).user
        #expect(hana.id != mallory.user.id && hana.emailVerifiedAt != nil)
        #expect(try await users(in: application).count == 2)
    }

    @Test("takes a registration's token once, not after a day, and its attempt again")
    func mailToken() async throws {
        let application = try await world.makeApplication()
        let late = try await Self.mailedToken(to: "late@example.com", in: application, world)
        world.clock.advance(by: .days(1))
        var request = ResetPassword.Request(
            application: application, token: late, newPassword: Self.password, address: TestWorld.address,
            attempt: SecretDigest(of: "attempt".utf8), origin: .local, rules: .native)
        #expect(await world.refusal { try await world.modules.accounts.resetPassword(request) } == .codeRefused)
        request.token = try await Self.mailedToken(to: "hana@example.com", in: application, world)
        // A password that breaks a rule leaves the token as it was.
        request.newPassword = Secret("short")
        let fault = await world.refusal { try await world.modules.accounts.resetPassword(request) }
        #expect(fault?.validationErrors?.map(\.field) == ["newPassword"])
        request.newPassword = Self.password
        try await world.modules.accounts.resetPassword(request)
        try await world.modules.accounts.resetPassword(request)
        request.newPassword = Secret("four other words")
        #expect(await world.refusal { try await world.modules.accounts.resetPassword(request) } == .attemptReused)
        request.attempt = nil
        #expect(await world.refusal { try await world.modules.accounts.resetPassword(request) } == .codeRefused)
        #expect(try await users(in: application).count == 1)
    }

    @Test(
        "refuses the same values for the same reason",
        arguments: Kind.allCases.filter { $0 != .mail }, ["displayName", "locale", "fields.deep"])
    func faults(kind: Kind, field: String) async throws {
        let application = try await world.makeApplication()
        var person = Person()
        switch field {
        case "displayName": person.profile.displayName = "a\u{0}"
        case "locale": person.profile.locale = "not a tag"
        default: person.profile.fields["deep"] = .string("\u{0}")
        }
        let bad = person
        let refusal = await world.refusal { try await Self.register(kind, bad, in: application, world) }
        guard let faults = refusal?.validationErrors else {
            Issue.record("\(kind) took a bad \(field): \(String(describing: refusal))")
            return
        }
        let named = kind == .device ? "user.\(field)" : field
        #expect(faults.map(\.field) == [named])
        #expect(try await users(in: application).isEmpty)
    }

    @Test(
        "counts every new user by the same limit, but those whom operators bring",
        arguments: Kind.allCases.filter { ![.importing, .admin].contains($0) })
    func limit(kind: Kind) async throws {
        let world = try TestWorld(
            try SQLiteStore(.memory, role: .server), firstLaunches: RateLimit(maximum: 1, window: .seconds(3600)),
            mail: .outbox)
        let application = try await world.makeApplication()
        _ = try await world.logIn(TestDevice(), to: application)
        let refusal = await world.refusal { try await Self.register(kind, Person(), in: application, world) }
        #expect(refusal == .rateLimited(retryAfter: .seconds(3600)))
    }

    @Test(
        "counts a sign-up on a page by that limit too, but where first launches have budgets of their own",
        arguments: [AttestationRules.Mode.off, .limited])
    func limitOfPages(mode: AttestationRules.Mode) async throws {
        let world = try TestWorld(
            try SQLiteStore(.memory, role: .server), firstLaunches: RateLimit(maximum: 1, window: .seconds(3600)))
        var settings = ApplicationSettings()
        settings.attestation.mode = mode
        let application = try await world.makeApplication(settings: settings)
        func signUp(_ name: String) async -> DomainError? {
            await world.refusal {
                _ = try await world.modules.logIns.signUp(
                    SignUp.Request(
                        application: application,
                        identifiers: NewIdentifiers(username: .set(name), rules: .native), password: Self.password,
                        client: LogInClient(
                            .native, from: TestWorld.address, origin: RequestOrigin(address: TestWorld.address.text)),
                        page: SignUp.Request.Page(browser: "browser of \(name)", work: nil)))
            }
        }
        #expect(await signUp("hana") == nil)
        #expect(await signUp("mika") == (mode == .off ? .rateLimited(retryAfter: .seconds(3600)) : nil))
    }
}
