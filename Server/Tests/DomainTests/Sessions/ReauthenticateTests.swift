import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// The owner of a session shows to be there again.
@Suite("A session that is proved again")
struct ReauthenticateTests {
    private static let password = Secret("a long enough secret")

    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server), mail: .outbox)
        var settings = ApplicationSettings()
        settings.secondFactors.mode = .optional
        application = try await world.makeApplication(settings: settings)
    }

    private func hana() async throws -> Authenticated {
        try await world.authenticate(try await world.signUp("hana", to: application).token, in: application)
    }

    private func reauthenticate(
        by credential: Reauthenticate.Credential, _ who: Authenticated
    ) async throws(DomainError) -> Reauthenticate.Answer {
        try await world.modules.sessions.reauthenticate(
            by: credential, from: TestWorld.address, who, origin: .local)
    }

    private func entries() async throws -> [AuditEntry] {
        try await world.modules.administration.audit.list(
            in: application.id, matching: AuditFilter(action: .reauthenticated))
    }

    @Test("is fresh for ten minutes, under a new token, and is the same session")
    func fresh() async throws {
        let who = try await hana()
        world.clock.advance(by: .seconds(3600))
        #expect(!who.session.isFresh(at: world.clock.now))
        let answer = try await reauthenticate(by: .password(Self.password), who)
        #expect(answer.session.id == who.session.id && answer.freshUntil == world.clock.now + .seconds(600))
        #expect(answer.session.authenticatedAt == world.clock.now && answer.session.methods == .password)
        #expect(answer.session.expiresAt == who.session.expiresAt)
        #expect(answer.idleLifetime == .days(60))
        let again = try await world.authenticate(answer.token, in: application)
        #expect(again.session.id == who.session.id && again.session.isFresh(at: world.clock.now))
        // The token of before is over, also for another proof.
        #expect(
            await world.refusal { _ = try await reauthenticate(by: .password(Self.password), who) } == .sessionInvalid)
        let entries = try await entries()
        #expect(entries.map(\.result) == [.done] && entries.first?.details["method"] == "password")
        #expect(entries.first?.target == .user(who.user.id))
    }

    @Test("counts what was proved within ten minutes beside what is proved now", arguments: [599_999, 600_000])
    func together(after: Int) async throws {
        let who = try await hana()
        let key = try await authenticator(of: who)
        world.clock.advance(by: .milliseconds(after))
        let later = try await current(who)
        let code = try TestAuthenticator.code(for: key, at: world.clock.now)
        let answer = try await reauthenticate(by: .totp(code), later)
        #expect(answer.session.methods == (after < 600_000 ? [.password, .timeBasedCode] : [.timeBasedCode]))
        #expect(answer.session.secondFactorAt == world.clock.now)
    }

    /// Adds an authenticator app.
    private func authenticator(of who: Authenticated) async throws -> String {
        let enrol = world.modules.secondFactors.enrolTOTP
        let author = AccountAuthor.owner(who, isProven: false, from: .local)
        let offer = try enrol.offer(for: who, by: author)
        _ = try await enrol(
            .init(
                ticket: offer.ticket.revealed,
                code: try TestAuthenticator.code(for: offer.key.revealed, at: world.clock.now), name: nil),
            for: who, by: author)
        return offer.key.revealed
    }

    /// The session as it is stored now, with the same token.
    private func current(_ who: Authenticated) async throws -> Authenticated {
        let stored = try await world.engine.read { transaction throws(DomainError) in
            try transaction.sessions(of: who.user.id, in: application.id).first { $0.id == who.session.id }
        }
        return Authenticated(
            application: application, session: try #require(stored),
            user: try await world.modules.directory.readUser(who.user.id, in: application.id),
            tokenDigest: who.tokenDigest)
    }

    @Test("is not proved by a wrong password, which is counted and recorded")
    func wrong() async throws {
        let who = try await hana()
        for _ in 0..<LogInFailures.free {
            let refused = await world.refusal { _ = try await reauthenticate(by: .password(Secret("no")), who) }
            #expect(refused == .credentialRefused)
        }
        let waits = await world.refusal { _ = try await reauthenticate(by: .password(Self.password), who) }
        #expect(waits == .rateLimited(retryAfter: .seconds(1)))
        #expect(try await entries().map(\.result) == Array(repeating: .refused, count: LogInFailures.free))
    }

    @Test("is proved by a device's key of a guest alone: there is nothing better")
    func deviceKey() async throws {
        let guest = try await world.authenticate(
            try await world.logIn(TestDevice(), to: application).token, in: application)
        let answer = try await reauthenticate(by: .deviceKey, guest)
        #expect(answer.session.methods == .deviceKey && answer.session.authenticatedAt == world.clock.now)
        let hana = try await hana()
        #expect(await world.refusal { _ = try await reauthenticate(by: .deviceKey, hana) } == .credentialRefused)
        // Where a key can prove nothing there was no try: the guest's proof stands alone in the audit log.
        #expect(try await entries().map(\.result) == [.done])
    }

    @Test("is not proved by a password that the user has not")
    func noPassword() async throws {
        let guest = try await world.authenticate(
            try await world.logIn(TestDevice(), to: application).token, in: application)
        let refused = await world.refusal { _ = try await reauthenticate(by: .password(Self.password), guest) }
        #expect(refused == .credentialRefused && world.passwords.counted.comparisons == 0)
    }

    @Test("is proved by a code of the user's app, once, and needs that there is one")
    func codes() async throws {
        let who = try await hana()
        #expect(await world.refusal { _ = try await reauthenticate(by: .totp("000000"), who) } == .secondFactorUnknown)
        let key = try await authenticator(of: who)
        world.clock.advance(by: .seconds(60))
        let code = try TestAuthenticator.code(for: key, at: world.clock.now)
        var later = try await current(who)
        #expect(await world.refusal { _ = try await reauthenticate(by: .totp("000000"), later) } == .credentialRefused)
        let answer = try await reauthenticate(by: .totp(code), later)
        later = try await world.authenticate(answer.token, in: application)
        #expect(await world.refusal { _ = try await reauthenticate(by: .totp(code), later) } == .credentialRefused)
    }

    @Test("is proved by a recovery code, once, which is reported")
    func recoveryCodes() async throws {
        let who = try await hana()
        _ = try await authenticator(of: who)
        let codes = try await world.modules.secondFactors.manageSecondFactors.replaceRecoveryCodes(
            of: try await current(who), by: .owner(try await current(who), isProven: false, from: .local))
        let answer = try await reauthenticate(by: .recoveryCode(codes[0].revealed), try await current(who))
        #expect(answer.session.secondFactorAt == world.clock.now && answer.session.methods.contains(.recoveryCode))
        let later = try await world.authenticate(answer.token, in: application)
        let again = await world.refusal { _ = try await reauthenticate(by: .recoveryCode(codes[0].revealed), later) }
        #expect(again == .credentialRefused)
        let used = try await world.modules.administration.audit.list(
            in: application.id, matching: AuditFilter(action: .recoveryCodeUsed))
        #expect(used.count == 1)
    }

    @Test("is not proved by anybody else's mailed code, nor by one for something else")
    func mailedCodes() async throws {
        let who = try await hana()
        let mika = try await world.makeUser(in: application, email: "mika@example.com", isVerified: true)
        let order = try await world.modules.messaging.requestLogInCode(
            email: "mika@example.com", in: application, languages: [], from: TestWorld.address)
        _ = try await world.modules.messaging.deliverMail()
        let mails = try await world.modules.messaging.readOutbox(of: application.id)
        let code = try #require(mails.first?.code)
        let refused = await world.refusal {
            _ = try await reauthenticate(by: .code(code, ticket: order.ticket.revealed), who)
        }
        #expect(refused == .credentialRefused)
        let entries = try await entries()
        #expect(entries.first?.result == .refused && entries.first?.target == .user(who.user.id))
        #expect(mika.id != who.user.id)
    }
}
