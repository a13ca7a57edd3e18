import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// The one room in which sessions are made, for every protocol.
@Suite("A session that is issued")
struct SessionIssuerTests {
    static let protocols = [Session.ProtocolName.native, .pages] + ProtocolRegistry.samples.foreign.map(\.name)
    static let methods: [Session.LogInMethod] = [
        .automatic, .password, .signUp, .code, .merge, .transferCode, .pages, .keptPages, .adoption,
    ]

    let world: TestWorld

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
    }

    private func issuer(
        _ application: Application, _ name: Session.ProtocolName, by method: Session.LogInMethod = .password,
        attempt: Attempt? = nil, expiresAt: Timestamp? = nil, record: SessionIssuer.Record = .nothing,
        restoringFrom: RequestOrigin? = nil
    ) throws -> SessionIssuer {
        SessionIssuers(
            protocols: .samples,
            changes: AccountChanges(
                notice: MailNotice(
                    sealing: MailSealing(key: try .ofTests(), randomness: world.randomness), delivery: .outbox,
                    pagesURL: nil),
                audit: AuditTrail(
                    clock: world.clock, randomness: world.randomness, seals: AuditSeals(try .ofTests()),
                    hasLimits: false)),
            randomness: world.randomness, tickets: SecondFactorTickets(sealingKey: try .ofTests())
        ).issuer(
            for: .init(
                application, name, by: method,
                on: .init(device: DeviceDescription(name: "Phone"), address: "192.0.2.7"), attempt: attempt,
                expiresAt: expiresAt, record: record, restoringFrom: restoringFrom),
            at: world.clock.now)
    }

    private func issue(_ issuer: SessionIssuer, to id: Identifier<User>) async throws -> LogIn {
        let application = issuer.application.id
        return try await world.engine.write { transaction throws(DomainError) in
            guard let user = try transaction.user(id, in: application) else { throw .userUnknown }
            return try issuer.issue(to: user, in: transaction)
        }
    }

    @Test("has the token, the lifetime and the number of its protocol's rules", arguments: protocols)
    func rules(name: Session.ProtocolName) async throws {
        let application = try await world.makeApplication()
        let user = try await world.signUp("hana", to: application).user
        let rules = application.settings.sessionRules(of: ProtocolRegistry.samples[name])
        var last: LogIn?
        for _ in 0..<3 {
            world.clock.advance(by: .seconds(1))
            let logIn = try await issue(try issuer(application, name), to: user.id)
            #expect(!logIn.isNew && logIn.session.protocolName == name && logIn.session.device.name == "Phone")
            #expect(logIn.session.expiresAt == world.clock.now + rules.lifetime)
            #expect(logIn.idleLifetime == rules.idleLifetime && logIn.session.address == "192.0.2.7")
            #expect(SessionToken.digest(of: logIn.token.revealed, in: name) != nil)
            #expect(logIn.previousLogInAt == last?.session.createdAt ?? user.createdAt)
            last = logIn
        }
        let sessions = try await world.modules.sessions.listSessions(of: user.id, in: application)
        #expect(sessions.count { $0.protocolName == name } == min(rules.maximumPerUser ?? 4, name == .native ? 4 : 3))
    }

    @Test("ends no later than its client wishes, and no later than its protocol says", arguments: protocols)
    func earlierEnd(name: Session.ProtocolName) async throws {
        let application = try await world.makeApplication()
        let user = try await world.signUp("hana", to: application).user
        let latest = world.clock.now + application.settings.sessionRules(of: ProtocolRegistry.samples[name]).lifetime
        for (wish, end) in [(world.clock.now + .days(1), world.clock.now + .days(1)), (latest + .days(1), latest)] {
            let logIn = try await issue(try issuer(application, name, expiresAt: wish), to: user.id)
            #expect(logIn.session.expiresAt == end)
        }
    }

    @Test(
        "is in the audit log if it says so, by the user or by an actor", arguments: methods,
        [AuditEntry.Actor?.none, .operator])
    func recorded(method: Session.LogInMethod, actor: AuditEntry.Actor?) async throws {
        let application = try await world.makeApplication()
        let user = try await world.signUp("hana", to: application).user
        let silent = try await issue(try issuer(application, .native, by: method), to: user.id)
        let logIn = try await issue(
            try issuer(application, .native, by: method, record: .logIn(by: actor, from: .local)), to: user.id)
        #expect(logIn.session.method == method)
        #expect((logIn.session.authenticatedAt != nil) == method.provesPresence(of: user))
        let entries = try await world.modules.administration.audit.list(
            in: application.id, matching: AuditFilter(action: .loggedIn))
        let own = entries.filter { $0.details["session"] == logIn.session.id.rawValue }
        #expect(own.map(\.actor) == [actor ?? .user(user.id)])
        #expect(own.first?.details["method"] == method.rawValue && own.first?.target == .user(user.id))
        #expect(!entries.contains { $0.details["session"] == silent.session.id.rawValue })
    }

    @Test("is refused by the one gate, for every protocol", arguments: protocols, [false, true])
    func gate(name: Session.ProtocolName, restores: Bool) async throws {
        let application = try await world.makeApplication()
        let user = try await world.signUp("hana", to: application).user
        let restoring = restores ? RequestOrigin.local : nil
        _ = try await world.modules.accounts.setUserDisabled(user.id, in: application, isDisabled: true, by: .local)
        let disabled = await world.refusal {
            _ = try await issue(try issuer(application, name, restoringFrom: restoring), to: user.id)
        }
        #expect(disabled == .userDisabled)
        _ = try await world.modules.accounts.setUserDisabled(user.id, in: application, isDisabled: false, by: .local)
        let erasedAt = try await world.modules.deletion.deleteUser(user.id, in: application, by: .local)
        let leaving = await world.refusal {
            _ = try await issue(try issuer(application, name, restoringFrom: restoring), to: user.id)
        }
        #expect(leaving == (restores ? nil : .userDeleted(erasedAt: erasedAt)))
        let entries = try await world.modules.administration.audit.list(
            in: application.id, matching: AuditFilter(action: .userRestored))
        #expect(entries.map(\.actor) == (restores ? [.user(user.id)] : []))
    }

    @Test("is one for the repetitions of an attempt, each with a new token", arguments: protocols)
    func attempt(name: Session.ProtocolName) async throws {
        let application = try await world.makeApplication()
        let user = try await world.signUp("hana", to: application).user
        let (one, other) = (Attempt(name: "one", request: [1]), Attempt(name: "one", request: [2]))
        let first = try await issue(try issuer(application, name, attempt: one), to: user.id)
        world.clock.advance(by: .seconds(1))
        let again = try await issue(try issuer(application, name, attempt: one), to: user.id)
        #expect(again.session.id == first.session.id && again.token != first.token)
        #expect(again.previousLogInAt == first.previousLogInAt)
        let reused = await world.refusal {
            _ = try await issue(try issuer(application, name, attempt: other), to: user.id)
        }
        #expect(reused == .attemptReused)
    }

    @Test("by no log-in is taken over from another service, once, and changes no time of log-in")
    func moved() async throws {
        let application = try await world.makeApplication()
        let user = try await world.signUp("hana", to: application).user
        let now = world.clock.now
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.noteImport(of: user.id, in: application.id, at: now)
        }
        let imported = ImportedSession(
            user: user.id, application: application.id, token: Secret("a token of before"), protocolName: .yearly,
            method: .importing, createdAt: world.clock.now)
        world.clock.advance(by: .days(1))
        for outcome in [ImportOutcome.imported, .present] {
            #expect(try await world.modules.sessions.importSessions([imported], isRehearsal: false) == [outcome])
        }
        let after = try await world.modules.directory.readUser(user.id, in: application.id)
        #expect(after.lastLogInAt == user.lastLogInAt && after.previousLogInAt == nil)
    }
}
