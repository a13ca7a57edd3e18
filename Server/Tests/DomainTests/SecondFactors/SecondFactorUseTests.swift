import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// From the first key to the last code, through the modules and the real store.
@Suite("A user's second factor")
struct SecondFactorUseTests {
    private let world: TestWorld

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
    }

    /// A user, the session in which the factor was added, and what the user's app holds.
    private struct Account {
        let application: Application
        let user: Identifier<User>
        let session: Secret
        let key: String
        let recoveryCodes: [Secret]
    }

    private func application(_ mode: SecondFactorRules.Mode) async throws -> Application {
        var settings = ApplicationSettings()
        settings.secondFactors.mode = mode
        return try await world.makeApplication(settings: settings)
    }

    private func author(_ who: Authenticated) -> AccountAuthor { .owner(who, isProven: false, from: .local) }
    private func code(_ key: String) throws -> String { try TestAuthenticator.code(for: key, at: world.clock.now) }

    private func add(to who: Authenticated, name: String? = nil) async throws -> (addition: TOTPAddition, key: String) {
        let offer = try world.modules.secondFactors.enrolTOTP.offer(for: who, by: author(who))
        let addition = try await world.modules.secondFactors.enrolTOTP(
            .init(ticket: offer.ticket.revealed, code: try code(offer.key.revealed), name: name), for: who,
            by: author(who))
        return (addition, offer.key.revealed)
    }

    private func account(_ mode: SecondFactorRules.Mode = .optional) async throws -> Account {
        let application = try await application(mode)
        let logIn = try await world.signUp("hana", to: application)
        let who = try await world.authenticate(logIn.token, in: application)
        let (addition, key) = try await add(to: who)
        world.clock.advance(by: .seconds(60))
        return Account(
            application: application, user: logIn.user.id, session: logIn.token, key: key,
            recoveryCodes: addition.recoveryCodes ?? [])
    }

    private func challenge(_ account: Account, device: TestDevice? = nil) async throws -> SecondFactorChallenge {
        let error = await world.refusal { _ = try await world.logIn("hana", to: account.application, with: device) }
        guard case .secondFactor(let challenge)? = error?.detail else {
            throw TestWorldFault(description: "not asked for a second factor: \(String(describing: error))")
        }
        return challenge
    }

    private func finish(
        _ ticket: Secret, _ shown: LogInWithSecondFactor.Shown, in application: Application, device: TestDevice? = nil
    ) async throws -> LogInWithSecondFactor.Finished {
        try await world.modules.secondFactors.logInWithSecondFactor(
            .init(
                application: application, ticket: ticket.revealed, shown: shown,
                client: LogInClient(
                    .native, proof: try device?.presented(at: world.clock.now), from: TestWorld.address, origin: .local),
                restoringFrom: nil))
    }

    private func list(_ account: Account) async throws -> SecondFactorList {
        try await world.modules.secondFactors.manageSecondFactors.list(of: account.user, in: account.application.id)
    }

    private func actions(_ account: Account) async throws -> [AuditEntry.Action] {
        try await world.modules.administration.audit.list(in: account.application.id).map(\.action)
    }

    @Test("is added with ten recovery codes, and the session has shown it")
    func added() async throws {
        let account = try await account()
        #expect(account.recoveryCodes.count == 10)
        let list = try await list(account)
        #expect(list.factors.map(\.name) == ["Authenticator"] && list.recoveryCodesLeft == 10)
        #expect(list.factors.first?.createdAt == world.clock.now - .seconds(60))
        let who = try await world.authenticate(account.session, in: account.application)
        #expect(who.user.hasSecondFactor && who.session.secondFactorAt == world.clock.now - .seconds(60))
        #expect(try await actions(account).contains(.secondFactorAdded))
    }

    @Test("has five authenticator apps at the most, of which the first alone brings recovery codes")
    func most() async throws {
        let application = try await application(.optional)
        let logIn = try await world.signUp("hana", to: application)
        for number in 1...TOTPFactor.maximumPerUser {
            let who = try await world.authenticate(logIn.token, in: application)
            let added = try await add(to: who, name: "app \(number)")
            #expect((added.addition.recoveryCodes != nil) == (number == 1), "\(number)")
            #expect(added.addition.factor.name == "app \(number)")
        }
        let who = try await world.authenticate(logIn.token, in: application)
        let refused = await world.refusal { _ = try await add(to: who) }
        #expect(refused == .fieldsRefused([ValidationError(field: "ticket", rule: .tooManyFields(maximum: 5))]))
    }

    @Test(
        "has a name that one can read",
        arguments: [
            ("phone", []), (String(repeating: "x", count: 100), []),
            (String(repeating: "x", count: 101), [.tooLong(maximumCharacters: 100)]), ("a\nb", [.controlCharacter]),
            ("", [.empty]),
        ] as [(String, [ValidationError.Rule])])
    func names(name: String, rules: [ValidationError.Rule]) async throws {
        let application = try await application(.optional)
        let who = try await world.authenticate(try await world.signUp("hana", to: application).token, in: application)
        let refused = await world.refusal { _ = try await add(to: who, name: name) }
        #expect(refused?.validationErrors?.map(\.rule) ?? [] == rules)
        #expect(refused?.validationErrors?.allSatisfy { $0.field == "name" } ?? true)
    }

    @Test("is not there for guests, nor where the application has none", arguments: SecondFactorRules.Mode.allCases)
    func offers(mode: SecondFactorRules.Mode) async throws {
        let application = try await application(mode)
        let device = TestDevice()
        let guest = try await world.authenticate(try await world.logIn(device, to: application).token, in: application)
        let hana = try await world.authenticate(try await world.signUp("hana", to: application).token, in: application)
        for who in [guest, hana] {
            let refused = await world.refusal {
                _ = try world.modules.secondFactors.enrolTOTP.offer(
                    for: who, by: .owner(who, isProven: true, from: .local))
            }
            #expect(refused == (mode != .off && who === hana ? nil : .secondFactorsNotEnabled))
        }
    }

    @Test("is named in the link by what the user goes by, the user name first")
    func links() async throws {
        let application = try await application(.optional)
        let who = try await world.authenticate(try await world.signUp("hana", to: application).token, in: application)
        var user = who.user
        func link() throws -> String {
            try world.modules.secondFactors.enrolTOTP.offer(for: user, in: application).link.revealed
        }
        (user.email, user.displayName) = ("h@example.com", "Hana K.")
        #expect(try link().hasPrefix("otpauth://totp/Test:hana?secret="))
        user.username = nil
        #expect(try link().hasPrefix("otpauth://totp/Test:h%40example.com?secret="))
        (user.email, user.phone) = (nil, "+81312345678")
        #expect(try link().hasPrefix("otpauth://totp/Test:Hana%20K.?secret="))
        user.displayName = nil
        #expect(try link().hasPrefix("otpauth://totp/Test:\(user.id.rawValue)?secret="))
    }

    @Test("is offered again with the same key by the same ticket, for ten minutes, until tickets are void")
    func offeredAgain() async throws {
        let application = try await application(.optional)
        let who = try await world.authenticate(try await world.signUp("hana", to: application).token, in: application)
        let enrol = world.modules.secondFactors.enrolTOTP
        let offer = try enrol.offer(for: who, by: author(who))
        #expect(offer.expiresAt == world.clock.now + .seconds(600))
        world.clock.advance(by: .milliseconds(599_999))
        let again = try enrol.repeated(offer.ticket.revealed, for: who.user, in: application)
        #expect(again.key == offer.key && again.link == offer.link && again.ticket == offer.ticket)
        #expect(again.expiresAt == offer.expiresAt)
        var evicted = who.user
        evicted.credentialsVersion += 1
        #expect(throws: DomainError.secondFactorTicketRefused) {
            try enrol.repeated(offer.ticket.revealed, for: evicted, in: application)
        }
        world.clock.advance(by: .milliseconds(1))
        #expect(throws: DomainError.secondFactorTicketRefused) {
            try enrol.repeated(offer.ticket.revealed, for: who.user, in: application)
        }
    }

    @Test("is added by the code of its key alone, and the same confirmation again answers the same")
    func confirmed() async throws {
        let application = try await application(.optional)
        let who = try await world.authenticate(try await world.signUp("hana", to: application).token, in: application)
        let enrol = world.modules.secondFactors.enrolTOTP
        let (offer, other) = (try enrol.offer(for: who, by: author(who)), try enrol.offer(for: who, by: author(who)))
        #expect(offer.key != other.key)
        let wrong = EnrolTOTP.Confirmation(
            ticket: offer.ticket.revealed, code: try code(other.key.revealed), name: nil)
        #expect(await world.refusal { _ = try await enrol(wrong, for: who, by: author(who)) } == .secondFactorRefused)
        let right = EnrolTOTP.Confirmation(
            ticket: offer.ticket.revealed, code: try code(offer.key.revealed), name: "phone")
        let first = try await enrol(right, for: who, by: author(who))
        // Its response got lost; the session has shown the factor meanwhile.
        let token = try await world.engine.read { transaction throws(DomainError) in
            try transaction.sessions(of: who.user.id, in: application.id).first?.secondFactorAt
        }
        #expect(token == world.clock.now)
        var session = who.session
        session.secondFactorAt = token
        let later = Authenticated(
            application: application, session: session, user: who.user, tokenDigest: who.tokenDigest)
        let again = try await enrol(right, for: later, by: author(later))
        #expect(again.factor.id == first.factor.id && again.recoveryCodes == first.recoveryCodes)
        let list = try await world.modules.secondFactors.manageSecondFactors.list(of: who.user.id, in: application.id)
        #expect(list.factors.count == 1 && list.recoveryCodesLeft == 10)
    }

    @Test("ends a log-in by the present code, once, and by none of before or of another time")
    func codes() async throws {
        let account = try await account()
        let ticket = try await challenge(account).ticket
        let now = world.clock.now
        for wrong in [
            "000000", "", try TestAuthenticator.code(for: account.key, at: now + .seconds(90)),
            try TestAuthenticator.code(for: account.key, at: now - .seconds(90)),
        ] {
            let refused = await world.refusal { _ = try await finish(ticket, .totp(wrong), in: account.application) }
            #expect(refused == .secondFactorRefused, "\(wrong)")
        }
        let right = try code(account.key)
        let finished = try await finish(ticket, .totp(right), in: account.application)
        #expect(finished.logIn.user.id == account.user && finished.addition == nil)
        #expect(finished.logIn.session.secondFactorAt == now && finished.logIn.session.method == .password)
        #expect(finished.logIn.session.methods == [.password, .timeBasedCode])
        // Again, because the response got lost: the same session. By another ticket the code is used.
        let again = try await finish(ticket, .totp(right), in: account.application)
        #expect(again.logIn.session.id == finished.logIn.session.id)
        let other = try await challenge(account).ticket
        let used = await world.refusal { _ = try await finish(other, .totp(right), in: account.application) }
        #expect(used == .secondFactorRefused)
        let factor = try await list(account).factors.first
        #expect(factor?.lastUsedAt == now && factor?.lastStep == now.milliseconds / 30_000)
    }

    @Test("is shown by a recovery code, each of which counts once, and is reported")
    func recoveryCodes() async throws {
        let account = try await account()
        for (number, code) in account.recoveryCodes.enumerated() {
            let ticket = try await challenge(account).ticket
            let finished = try await finish(ticket, .recoveryCode(code.revealed), in: account.application)
            #expect(finished.logIn.session.methods == [.password, .recoveryCode])
            #expect(try await list(account).recoveryCodesLeft == 9 - number)
            let other = try await challenge(account).ticket
            let used = await world.refusal {
                _ = try await finish(other, .recoveryCode(code.revealed), in: account.application)
            }
            #expect(used == .secondFactorRefused, "\(number)")
            world.clock.advance(by: .days(2))
        }
        #expect(try await actions(account).count { $0 == .recoveryCodeUsed } == 10)
    }

    @Test("makes who guesses wait after five wrong ones, and forgets them with a right one")
    func guesses() async throws {
        let account = try await account()
        let ticket = try await challenge(account).ticket
        for number in 0..<LogInFailures.free {
            let refused = await world.refusal { _ = try await finish(ticket, .totp("0"), in: account.application) }
            #expect(refused == .secondFactorRefused, "\(number)")
        }
        // Also a right one, of either kind, has to wait.
        let code = try code(account.key)
        for shown in [LogInWithSecondFactor.Shown.totp(code), .recoveryCode(account.recoveryCodes[0].revealed)] {
            let refused = await world.refusal { _ = try await finish(ticket, shown, in: account.application) }
            #expect(refused == .rateLimited(retryAfter: .seconds(1)))
        }
        world.clock.advance(by: .seconds(1))
        _ = try await finish(ticket, .totp(code), in: account.application)
        let next = try await challenge(account).ticket
        for _ in 0..<LogInFailures.free {
            let refused = await world.refusal { _ = try await finish(next, .totp("0"), in: account.application) }
            #expect(refused == .secondFactorRefused)
        }
    }

    @Test("is not asked for with a ticket of before the tickets were made void")
    func voided() async throws {
        let account = try await account()
        let (ticket, users) = (try await challenge(account).ticket, world.modules.administration.users)
        _ = try await users.endAllSessions(of: account.user, in: account.application, by: .local)
        let refused = await world.refusal {
            _ = try await finish(ticket, .totp(try code(account.key)), in: account.application)
        }
        #expect(refused == .secondFactorTicketRefused)
    }

    @Test("is shown on the device on which the log-in began")
    func device() async throws {
        let account = try await account()
        let (own, other) = (TestDevice(), TestDevice())
        let bound = try await challenge(account, device: own).ticket
        let free = try await challenge(account).ticket
        let code = try code(account.key)
        func refusal(_ ticket: Secret, _ device: TestDevice?) async -> DomainError? {
            await world.refusal { _ = try await finish(ticket, .totp(code), in: account.application, device: device) }
        }
        #expect(await refusal(bound, nil) == .proofRequired)
        #expect(await refusal(bound, other) == .proofRefused(.otherKey))
        #expect(await refusal(free, own) == .proofRefused(.otherKey))
        let finished = try await finish(bound, .totp(code), in: account.application, device: own)
        #expect(finished.logIn.session.deviceKey == own.thumbprint)
        // From then on the device is one that has passed it.
        let automatic = try await world.logIn(own, to: account.application)
        #expect(automatic.user.id == account.user && automatic.session.methods.contains(.rememberedDevice))
    }

    @Test("is added on the way where everybody must have one, and the ticket is for that alone")
    func required() async throws {
        let application = try await application(.required)
        let user = try await world.signUp("hana", to: application).user
        let error = await world.refusal { _ = try await world.logIn("hana", to: application) }
        guard error?.code == .secondFactorEnrolmentRequired, case .secondFactor(let challenge)? = error?.detail else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(challenge.factors.isEmpty)
        let logIn = world.modules.secondFactors.logInWithSecondFactor
        let offer = try await logIn.offer(challenge.ticket.revealed, in: application)
        let again = try await logIn.repeatedOffer(
            offer.ticket.revealed, for: challenge.ticket.revealed, in: application)
        #expect(again.key == offer.key)
        for shown in [LogInWithSecondFactor.Shown.totp(try code(offer.key.revealed)), .recoveryCode("abcde-fgh23")] {
            let refused = await world.refusal { _ = try await finish(challenge.ticket, shown, in: application) }
            #expect(refused == .secondFactorTicketRefused)
        }
        let confirmation = EnrolTOTP.Confirmation(
            ticket: offer.ticket.revealed, code: try code(offer.key.revealed), name: "phone")
        let finished = try await finish(challenge.ticket, .enrolment(confirmation), in: application)
        #expect(finished.logIn.user.id == user.id && finished.addition?.recoveryCodes?.count == 10)
        #expect(finished.logIn.session.secondFactorAt == world.clock.now)
        let repeated = try await finish(challenge.ticket, .enrolment(confirmation), in: application)
        #expect(repeated.logIn.session.id == finished.logIn.session.id)
        #expect(repeated.addition?.recoveryCodes == finished.addition?.recoveryCodes)
        // The ticket offers nothing more to somebody who has one.
        let refused = await world.refusal { _ = try await logIn.offer(challenge.ticket.revealed, in: application) }
        #expect(refused == .secondFactorTicketRefused)
    }

    @Test("goes with its last app, with its codes and with what devices have shown")
    func removed() async throws {
        let account = try await account()
        let who = try await world.authenticate(account.session, in: account.application)
        let second = try await add(to: who)
        let manage = world.modules.secondFactors.manageSecondFactors
        let unknown = await world.refusal {
            try await manage.remove(Identifier(rawValue: "none"), of: who, by: author(who))
        }
        #expect(unknown == .secondFactorUnknown)
        try await manage.remove(second.addition.factor.id, of: who, by: author(who))
        var list = try await list(account)
        #expect(list.factors.count == 1 && list.recoveryCodesLeft == 10)
        let last = try #require(list.factors.first)
        try await manage.remove(last.id, of: who, by: author(who))
        list = try await self.list(account)
        #expect(list.factors.isEmpty && list.recoveryCodesLeft == 0)
        let user = try await world.modules.directory.readUser(account.user, in: account.application.id)
        #expect(!user.hasSecondFactor)
        _ = try await world.logIn("hana", to: account.application)
        let replaced = await world.refusal { _ = try await manage.replaceRecoveryCodes(of: who, by: author(who)) }
        #expect(replaced == .secondFactorUnknown)
    }

    @Test("is removed by an operator for somebody who has lost it, with tickets under way")
    func reset() async throws {
        let account = try await account()
        let ticket = try await challenge(account).ticket
        let manage = world.modules.secondFactors.manageSecondFactors
        try await manage.removeAll(of: account.user, in: account.application, by: .local)
        let list = try await list(account)
        #expect(list.factors.isEmpty && list.recoveryCodesLeft == 0)
        let refused = await world.refusal {
            _ = try await finish(ticket, .totp(try code(account.key)), in: account.application)
        }
        #expect(refused == .secondFactorTicketRefused)
        _ = try await world.logIn("hana", to: account.application)
        let none = await world.refusal {
            try await manage.removeAll(of: account.user, in: account.application, by: .local)
        }
        #expect(none == .secondFactorUnknown)
        let nobody = await world.refusal {
            try await manage.removeAll(of: Identifier(rawValue: "nobody"), in: account.application, by: .local)
        }
        #expect(nobody == .userUnknown)
        #expect(try await actions(account).contains(.secondFactorsReset))
    }

    @Test("gets other recovery codes in place of those that are left")
    func replaced() async throws {
        let account = try await account()
        let who = try await world.authenticate(account.session, in: account.application)
        let codes = try await world.modules.secondFactors.manageSecondFactors.replaceRecoveryCodes(
            of: who, by: author(who))
        #expect(codes.count == 10 && Set(codes.map(\.revealed)).isDisjoint(with: account.recoveryCodes.map(\.revealed)))
        let ticket = try await challenge(account).ticket
        let old = await world.refusal {
            _ = try await finish(
                ticket, .recoveryCode(account.recoveryCodes[0].revealed), in: account.application)
        }
        #expect(old == .secondFactorRefused)
        _ = try await finish(ticket, .recoveryCode(codes[9].revealed), in: account.application)
        #expect(try await list(account).recoveryCodesLeft == 9)
    }
}
