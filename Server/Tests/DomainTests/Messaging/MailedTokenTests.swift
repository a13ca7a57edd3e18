import Domain
import StorageSQLite
import TestWorld
import Testing

/// How long what is mailed counts, by what a person can do with it.
@Suite("What was mailed counts until its last millisecond and not after")
struct MailedTokenTests {
    enum Mail: CaseIterable {
        case verificationCode, verificationLink, newPassword, registration, keptCode

        var life: Duration {
            switch self {
            case .verificationCode, .keptCode: .seconds(600)
            case .verificationLink, .registration: .days(1)
            case .newPassword: .seconds(3600)
            }
        }
    }

    private static let email = "hana@example.com"
    private static let password = Secret("a long enough secret")

    private let carrier = TestCarrier()
    private let world: TestWorld

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server), mail: .carrier(carrier))
    }

    /// Somebody with an address that is not verified, in a session.
    private func person(in application: Application) async throws -> Authenticated {
        let signUp = try await world.signUp("hana", to: application)
        let identifiers = NewIdentifiers(email: .set(Self.email), rules: .native)
        try await world.edit(signUp.user.id, in: application, UserEdit(identifiers: identifiers))
        return try await world.authenticate(signUp.token, in: application)
    }

    private func reset(_ token: String, in application: Application) async throws {
        try await world.modules.accounts.resetPassword(
            ResetPassword.Request(
                application: application, token: token, newPassword: Self.password, address: TestWorld.address,
                origin: .local, rules: .native))
    }

    /// Orders a mail, and does what it is good for when the time has passed.
    private func use(_ mail: Mail, after span: Duration) async throws {
        var settings = ApplicationSettings()
        if mail == .verificationLink { settings.mail.verificationURL = "https://app.example/verify" }
        let application = try await world.makeApplication(settings: settings)
        let (messaging, address) = (world.modules.messaging, TestWorld.address)
        let verify = world.modules.accounts.verifyEmail
        switch mail {
        case .verificationCode, .verificationLink:
            let who = try await person(in: application)
            _ = try await messaging.requestEmailVerification(
                email: nil, by: who, isProven: false, languages: [], from: address)
            let mailed = try await delivered()
            world.clock.advance(by: span)
            let proof: VerifyEmail.Proof =
                if mail == .verificationCode {
                    .code(try #require(mailed.code), by: who)
                } else {
                    .token(try #require(mailed.token), of: nil)
                }
            try await verify(proof, in: application, from: address, origin: .local)
        case .keptCode:
            let who = try await person(in: application)
            try await messaging.verificationCodes.send(
                .emailVerification, to: nil, of: who.user, by: who.session, in: application, languages: [],
                from: address)
            let code = try #require(
                try await messaging.verificationCodes.read(.emailVerification, of: who.user, in: application))
            world.clock.advance(by: span)
            try await verify(.code(code.revealed, by: who), in: application, from: address, origin: .local)
        case .newPassword:
            _ = try await world.makeUser(in: application, email: Self.email, isVerified: true)
            _ = try await messaging.requestPasswordReset(
                email: Self.email, in: application, languages: [], from: address)
            let token = try #require(try await delivered().token)
            world.clock.advance(by: span)
            try await reset(token, in: application)
            _ = try await world.logIn(Self.email, Self.password, to: application)
        case .registration:
            try await world.modules.logIns.registerByMail(
                email: Self.email, in: application, languages: [], from: address)
            let token = try #require(try await delivered().token)
            world.clock.advance(by: span)
            try await reset(token, in: application)
            _ = try await world.logIn(Self.email, Self.password, to: application)
        }
    }

    private func delivered() async throws -> MailMessage {
        _ = try await world.modules.messaging.deliverMail()
        // A notice of what was done before may come with it.
        return try #require(carrier.delivered.last { $0.token != nil || $0.code != nil })
    }

    @Test("by what it is good for", arguments: Mail.allCases)
    func life(mail: Mail) async throws {
        try await use(mail, after: mail.life - .milliseconds(1))
        let late = await world.refusal { try await use(mail, after: mail.life) }
        #expect(late == .codeRefused)
    }

    @Test(
        "and gives nobody another address who has asked to be deleted meanwhile: it waited to take the account over",
        arguments: [false, true])
    func leaving(isLeaving: Bool) async throws {
        var settings = ApplicationSettings()
        settings.mail.verificationURL = "https://app.example/verify"
        let application = try await world.makeApplication(settings: settings)
        let who = try await person(in: application)
        _ = try await world.modules.messaging.requestEmailVerification(
            email: "thief@example.com", by: who, isProven: false, languages: [], from: TestWorld.address)
        let token = try #require(try await delivered().token)
        if isLeaving { _ = try await world.modules.deletion.deleteUser(who.user.id, in: application, by: .local) }
        let refused = await world.refusal {
            try await world.modules.accounts.verifyEmail(
                .token(token, of: nil), in: application, from: TestWorld.address, origin: .local)
        }
        #expect(refused == (isLeaving ? .codeRefused : nil))
        let user = try await world.modules.directory.readUser(who.user.id, in: application.id)
        #expect(user.email == (isLeaving ? Self.email : "thief@example.com"))
    }

    @Test("and is not made by an order that waited while everything of the user's ended", arguments: [false, true])
    func orderedBefore(isEnded: Bool) async throws {
        let application = try await world.makeApplication()
        let who = try await person(in: application)
        if isEnded {
            _ = try await world.modules.administration.users.endAllSessions(
                of: who.user.id, in: application, by: .local)
        }
        try await world.modules.messaging.verificationCodes.send(
            .emailVerification, to: "thief@example.com", of: who.user, by: who.session, in: application,
            languages: [], from: TestWorld.address)
        let user = try await world.modules.directory.readUser(who.user.id, in: application.id)
        let pending = try await world.modules.accounts.findPendingAddress(of: user, by: .emailVerification)
        #expect(pending == (isEnded ? nil : "thief@example.com"))
    }

    @Test("and is not sent any more then, though the message that repeats it was ordered later")
    func repeated() async throws {
        let application = try await world.makeApplication()
        let (messaging, who) = (world.modules.messaging, try await person(in: application))
        func order() async throws {
            try await messaging.verificationCodes.send(
                .emailVerification, to: nil, of: who.user, by: who.session, in: application, languages: [],
                from: TestWorld.address)
        }
        try await order()
        let code = try #require(try await delivered().code)
        world.clock.advance(by: .seconds(500))
        try await order()
        carrier.plan(.refused(reason: "550"))
        #expect(try await messaging.deliverMail().givenUp == 1)
        let mail = try #require(try await messaging.listQueuedMail(in: application.id).first)
        world.clock.advance(by: .seconds(100))
        let refusal = await world.refusal {
            _ = try await messaging.manageQueuedMail.retry(mail.id, in: application.id, by: .local)
        }
        #expect(refusal == .administration(.mailExpired))
        #expect(try await messaging.manageQueuedMail.retryAll(in: application.id, by: .local) == 0)
        #expect(try await messaging.deliverMail().delivered == 0)
        let late = await world.refusal {
            try await world.modules.accounts.verifyEmail(
                .code(code, by: who), in: application, from: TestWorld.address, origin: .local)
        }
        #expect(late == .codeRefused)
    }

    /// Orders a mail for a new password.
    private func orderReset(in application: Application) async throws {
        _ = try await world.modules.messaging.requestPasswordReset(
            email: Self.email, in: application, languages: [], from: TestWorld.address)
    }

    /// Orders one that the mail server refuses, so that it is given up.
    private func orderRefusedReset() async throws -> Application {
        let application = try await world.makeApplication()
        _ = try await world.makeUser(in: application, email: Self.email, isVerified: true)
        carrier.plan(.refused(reason: "550"))
        try await orderReset(in: application)
        #expect(try await world.modules.messaging.deliverMail().givenUp == 1)
        return application
    }

    @Test("and is the same when an operator lets it be sent again: it counts for no longer")
    func sentAgain() async throws {
        let application = try await orderRefusedReset()
        world.clock.advance(by: .seconds(3000))
        #expect(try await world.modules.messaging.manageQueuedMail.retryAll(in: application.id, by: .local) == 1)
        let token = try #require(try await delivered().token)
        world.clock.advance(by: .seconds(600) - .milliseconds(1))
        #expect(try await world.modules.accounts.resetPassword.takes(token, in: application, from: TestWorld.address))
        world.clock.advance(by: .milliseconds(1))
        #expect(await world.refusal { try await reset(token, in: application) } == .codeRefused)
    }

    @Test("and does not go out again by an operator when another one came meanwhile, which goes on to count")
    func sentAgainLate() async throws {
        let application = try await orderRefusedReset()
        try await orderReset(in: application)
        let later = try #require(try await delivered().token)
        #expect(try await world.modules.messaging.manageQueuedMail.retryAll(in: application.id, by: .local) == 1)
        #expect(try await world.modules.messaging.deliverMail().delivered == 0)
        try await reset(later, in: application)
        _ = try await world.logIn(Self.email, Self.password, to: application)
    }

    @Test(
        "and lets an attempt that comes again have no more hashed than right passwords",
        arguments: [Mail.newPassword, .registration])
    func hashes(mail: Mail) async throws {
        let world = try TestWorld(
            try SQLiteStore(.memory, role: .server), hasRateLimits: true, mail: .carrier(carrier))
        let application = try await world.makeApplication()
        if mail == .newPassword {
            _ = try await world.makeUser(in: application, email: Self.email, isVerified: true)
            _ = try await world.modules.messaging.requestPasswordReset(
                email: Self.email, in: application, languages: [], from: TestWorld.address)
        } else {
            try await world.modules.logIns.registerByMail(
                email: Self.email, in: application, languages: [], from: TestWorld.address)
        }
        _ = try await world.modules.messaging.deliverMail()
        let token = try #require(carrier.delivered.compactMap(\.token).last)
        let request = ResetPassword.Request(
            application: application, token: token, newPassword: Self.password, address: TestWorld.address,
            attempt: SecretDigest(of: "attempt".utf8), origin: .local, rules: .native)
        for _ in 0..<2 { try await world.modules.accounts.resetPassword(request) }
        let user = try await world.logIn(Self.email, Self.password, to: application).user
        let key = RateLimitKey(
            application: application.id, kind: "password-log-in-user",
            subject: "\(user.id.rawValue) \(TestWorld.address.allowanceGroup)")
        let now = world.clock.now
        try await world.engine.write { transaction throws(DomainError) in
            for _ in 0..<600 { _ = try transaction.count(key, window: .seconds(3600), at: now) }
        }
        let worked = world.passwords.counted
        let refusal = await world.refusal { try await world.modules.accounts.resetPassword(request) }
        #expect(refusal?.code == .rateLimited && world.passwords.counted == worked)
    }

    @Test("in the page for a new password, which it opens until it is used")
    func page() async throws {
        let application = try await world.makeApplication()
        let (resetPassword, address) = (world.modules.accounts.resetPassword, TestWorld.address)
        _ = try await world.makeUser(in: application, email: Self.email, isVerified: true)
        _ = try await world.modules.messaging.requestPasswordReset(
            email: Self.email, in: application, languages: [], from: address)
        let token = try #require(try await delivered().token)
        for other in ["", "nonsense", String(token.dropLast()), String(token.reversed()), token + "0"] {
            #expect(try await !resetPassword.takes(other, in: application, from: address), "\(other)")
        }
        let elsewhere = try await world.makeApplication()
        #expect(try await !resetPassword.takes(token, in: elsewhere, from: address))
        world.clock.advance(by: .seconds(3600) - .milliseconds(1))
        for typed in [token, token.lowercased(), token.replacing("-", with: " ")] {
            #expect(try await resetPassword.takes(typed, in: application, from: address), "\(typed)")
        }
        try await reset(token, in: application)
        #expect(try await !resetPassword.takes(token, in: application, from: address))
        _ = try await world.modules.messaging.requestPasswordReset(
            email: Self.email, in: application, languages: [], from: address)
        let second = try #require(try await delivered().token)
        #expect(try await resetPassword.takes(second, in: application, from: address))
        world.clock.advance(by: .seconds(3600))
        #expect(try await !resetPassword.takes(second, in: application, from: address))
    }

    @Test("and is said again while a minute is left to type it", arguments: [false, true])
    func kept(hasLink: Bool) async throws {
        var settings = ApplicationSettings()
        if hasLink { settings.mail.verificationURL = "https://app.example/verify" }
        let application = try await world.makeApplication(settings: settings)
        let who = try await person(in: application)
        let codes = world.modules.messaging.verificationCodes
        let life: Duration = hasLink ? .days(1) : .seconds(600)
        func send() async throws -> Secret {
            try await codes.send(
                .emailVerification, to: nil, of: who.user, by: who.session, in: application, languages: [],
                from: TestWorld.address)
            return try #require(try await codes.read(.emailVerification, of: who.user, in: application))
        }
        #expect(try await codes.read(.emailVerification, of: who.user, in: application) == nil)
        let first = try await send()
        #expect(first.revealed.count == (hasLink ? 28 : 6))
        world.clock.advance(by: life - .seconds(60) - .milliseconds(1))
        #expect(try await send() == first)
        world.clock.advance(by: .milliseconds(1))
        let second = try await send()
        #expect(second != first)
        world.clock.advance(by: life - .milliseconds(1))
        #expect(try await codes.read(.emailVerification, of: who.user, in: application) == second)
        world.clock.advance(by: .milliseconds(1))
        #expect(try await codes.read(.emailVerification, of: who.user, in: application) == nil)
        let third = try #require(try await codes.renew(.emailVerification, of: who.user, in: application))
        #expect(try await codes.read(.emailVerification, of: who.user, in: application) == third)
        let fourth = try #require(try await codes.renew(.emailVerification, of: who.user, in: application))
        #expect(Set([first, second, third, fourth].map(\.revealed)).count == 4)
    }

    @Test(
        "and is another one each time that it is made anew, whose end is its own unless the clock was just set back",
        arguments: [(1, false), (0, true), (-1, true), (-1000, true), (-1001, false), (-600_000, false)])
    func renewed(milliseconds: Int, isBehind: Bool) async throws {
        let application = try await world.makeApplication()
        let who = try await person(in: application)
        let codes = world.modules.messaging.verificationCodes
        let first = try #require(try await codes.renew(.emailVerification, of: who.user, in: application))
        let firstEnd = world.clock.now + .seconds(600)
        world.clock.advance(by: .milliseconds(milliseconds))
        let second = try #require(try await codes.renew(.emailVerification, of: who.user, in: application))
        #expect(second != first)
        // No two codes end at one instant.
        let end = isBehind ? firstEnd + .milliseconds(1) : world.clock.now + .seconds(600)
        world.clock.advance(by: end - world.clock.now - .milliseconds(1))
        #expect(try await codes.read(.emailVerification, of: who.user, in: application) == second)
        world.clock.advance(by: .milliseconds(1))
        #expect(try await codes.read(.emailVerification, of: who.user, in: application) == nil)
    }
}
