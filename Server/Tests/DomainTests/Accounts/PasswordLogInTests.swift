import Domain
import StorageSQLite
import TestWorld
import Testing

@Suite("Log-in by password")
struct PasswordLogInTests {
    let world: TestWorld
    let password = Secret("a long enough secret")
    let newPassword = Secret("an even longer secret")

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
    }

    @Test(
        "takes a password for the same, whatever keyboard wrote it",
        arguments: [("ｶﾞｷﾞﾊﾟﾊﾟ-1234", "ガギパパ-1234"), ("ｶ\u{FF9E}", "カ\u{3099}"), ("Ｏｋａｅｒｉ！", "Okaeri!")])
    func widths(narrow: String, wide: String) throws {
        let (narrow, wide) = (try #require(Password(narrow)), try #require(Password(wide)))
        #expect(narrow.normalized == wide.normalized)
        #expect(narrow.sent != wide.sent)
    }

    @Test("lets the device's key join the user, so that the next launch is automatic")
    func joins() async throws {
        let application = try await world.makeApplication()
        let (old, new) = (TestDevice(), TestDevice())
        let signUp = try await world.signUp("hana", to: application, with: old)
        #expect(signUp.isNew && signUp.session.deviceKey == old.thumbprint)
        let logIn = try await world.logIn("hana", to: application, with: new)
        #expect(!logIn.isNew && logIn.user.id == signUp.user.id && logIn.session.deviceKey == new.thumbprint)
        for device in [old, new] { #expect(try await world.logIn(device, to: application).user.id == signUp.user.id) }
    }

    @Test("leaves a key that leads to somebody else with them")
    func keyOfAnother() async throws {
        let application = try await world.makeApplication()
        let device = TestDevice()
        let anonymous = try await world.logIn(device, to: application)
        let signUp = try await world.signUp("hana", to: application, with: device)
        #expect(signUp.user.id != anonymous.user.id && signUp.user.identities.isEmpty)
        _ = try await world.logIn("hana", to: application, with: device)
        #expect(try await world.logIn(device, to: application).user.id == anonymous.user.id)
    }

    @Test("and sign-up need a proof where the application wants one of every request, but for its pages")
    func proofRequired() async throws {
        let application = try await world.makeApplication(settings: .init(proofRequired: true))
        let device = TestDevice()
        let signUp = await world.refusal { _ = try await world.signUp("hana", to: application) }
        #expect(signUp == .proofRequired)
        // Nobody was made: the name is free.
        let user = try await world.signUp("hana", to: application, with: device).user
        let logIn = await world.refusal { _ = try await world.logIn("hana", to: application) }
        #expect(logIn == .proofRequired)
        let bound = try await world.logIn("hana", to: application, with: device)
        #expect(bound.user.id == user.id && bound.session.deviceKey == device.thumbprint)
        let page = try await world.modules.logIns.logInWithPassword(
            LogInWithPassword.Request(
                application: application, identifier: "hana", password: password,
                client: LogInClient(.pages, from: TestWorld.address, origin: .local)))
        #expect(page.user.id == user.id && page.session.deviceKey == nil)
    }

    @Test("stores a better hash, and keeps the time at which the password was set")
    func rehash() async throws {
        let application = try await world.makeApplication()
        let user = try await world.signUp("hana", to: application).user
        let typed = try #require(Password(password.revealed))
        let setAt = world.clock.now
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.setPassword(
                CountingPasswords.weakHash(typed), of: user.id, in: application.id, at: setAt)
        }
        world.clock.advance(by: .days(1))
        let logIn = try await world.logIn("hana", to: application)
        let hash = try await world.engine.read { transaction throws(DomainError) in
            try transaction.passwordHash(of: user.id, in: application.id)
        }
        #expect(hash == CountingPasswords.hash(typed) && logIn.user.passwordSetAt == setAt)
    }

    @Test(
        "is checked without a log-in of nobody who has a second factor, unless old apps are exempt",
        arguments: [true, false])
    func check(exemptsOldProtocols: Bool) async throws {
        var settings = ApplicationSettings()
        settings.secondFactors.mode = .optional
        settings.secondFactors.exemptsOldProtocols = exemptsOldProtocols
        let application = try await world.makeApplication(settings: settings)
        let who = try await world.authenticate(try await world.signUp("hana", to: application).token, in: application)
        func verify() async -> DomainError? {
            await world.refusal {
                _ = try await world.modules.logIns.verifyPassword(
                    .init(
                        application: application, password: password, address: TestWorld.address,
                        candidates: LogInIdentifier.candidates(of: "hana")))
            }
        }
        #expect(await verify() == nil)
        let author = AccountAuthor.owner(who, isProven: false, from: .local)
        let offer = try world.modules.secondFactors.enrolTOTP.offer(for: who, by: author)
        let code = try TestAuthenticator.code(for: offer.key.revealed, at: world.clock.now)
        _ = try await world.modules.secondFactors.enrolTOTP(
            .init(ticket: offer.ticket.revealed, code: code, name: nil), for: who, by: author)
        #expect(await verify() == (exemptsOldProtocols ? nil : .secondFactorRequired(nil)))
    }

    @Test(
        "is checked without a log-in of nobody whose address is not verified, where it has to be",
        arguments: [true, false], [true, false])
    func verifiedAddress(isVerified: Bool, isNeeded: Bool) async throws {
        let application = try await world.makeApplication()
        let (id, now) = (try await world.signUp("hana", to: application).user.id, world.clock.now)
        try await world.engine.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application.id) else { throw .userUnknown }
            (user.email, user.emailVerifiedAt) = ("hana@example.com", isVerified ? now : nil)
            try transaction.updateIdentifiers(of: user)
        }
        for (typed, isRight) in [(password, true), (newPassword, false)] {
            let refusal = await world.refusal {
                let user = try await world.modules.logIns.verifyPassword(
                    .init(
                        application: application, password: typed, address: TestWorld.address,
                        candidates: LogInIdentifier.candidates(of: "hana"), needsVerifiedEmail: isNeeded))
                #expect(user.id == id)
            }
            // Who does not know the password learns nothing of the address.
            let wanted: DomainError? = isVerified || !isNeeded ? nil : .emailUnverified
            #expect(refusal == (isRight ? wanted : .credentialRefused))
        }
    }

    @Test("tells that the user is disabled only to who knows the password")
    func disabled() async throws {
        let application = try await world.makeApplication()
        let user = try await world.signUp("hana", to: application).user
        try await world.modules.accounts.setUserDisabled(user.id, in: application, isDisabled: true, by: .local)
        #expect(
            await world.refusal { _ = try await world.logIn("hana", Secret("x"), to: application) }
                == .credentialRefused)
        #expect(await world.refusal { _ = try await world.logIn("hana", to: application) } == .userDisabled)
        try await world.modules.accounts.setUserDisabled(user.id, in: application, isDisabled: false, by: .local)
        _ = try await world.logIn("hana", to: application)
    }

    @Test(
        "refuses what is no password of anybody without looking for it",
        arguments: ["", String(repeating: "x", count: 1025)])
    func impossible(text: String) async throws {
        let application = try await world.makeApplication()
        _ = try await world.signUp("hana", to: application)
        #expect(
            await world.refusal { _ = try await world.logIn("hana", Secret(text), to: application) }
                == .credentialRefused)
        #expect(world.passwords.counted.comparisons == 0)
    }

    @Test("looks for identifiers of up to 2,048 bytes, and refuses what is longer", arguments: [2047, 2048, 2049])
    func longIdentifier(bytes: Int) async throws {
        let application = try await world.makeApplication()
        let candidates = LogInIdentifier.candidates(of: String(repeating: "x", count: bytes))
        let refusal = await world.refusal {
            _ = try await world.modules.logIns.verifyPassword(
                .init(
                    application: application, password: password, address: TestWorld.address, candidates: candidates))
        }
        let rule = ValidationError.Rule.tooManyBytes(maximum: 2048)
        let tooLong = DomainError.fieldsRefused([ValidationError(field: "identifier", rule: rule)])
        #expect(refusal == (bytes > 2048 ? tooLong : DomainError.credentialRefused))
    }

    @Test("says that it is busy when too many passwords wait, and counts no failure")
    func busy() async throws {
        let application = try await world.makeApplication()
        _ = try await world.signUp("hana", to: application)
        world.passwords.set(isBusy: true)
        for _ in 0..<10 {
            #expect(
                await world.refusal { _ = try await world.logIn("hana", to: application) }
                    == .busy(retryAfter: .seconds(2)))
        }
        #expect(
            await world.refusal { _ = try await world.signUp("hanako", to: application) }
                == .busy(retryAfter: .seconds(2)))
        world.passwords.set(isBusy: false)
        _ = try await world.logIn("hana", to: application)
        _ = try await world.signUp("hanako", to: application)
    }

    @Test("answers a repeated sign-up as the first try, only with the same password and the same values")
    func repeatedSignUp() async throws {
        let application = try await world.makeApplication()
        let attempt = Attempt(name: "one", request: [1])
        let first = try await world.signUp("hana", to: application, attempt: attempt)
        let again = try await world.signUp("hana", to: application, attempt: attempt)
        #expect(again.isNew && again.user.id == first.user.id && again.session.id == first.session.id)
        let answers = [
            await world.refusal { _ = try await world.signUp("hana", newPassword, to: application, attempt: attempt) },
            await world.refusal {
                _ = try await world.signUp("hana", to: application, attempt: Attempt(name: "one", request: [2]))
            },
            await world.refusal {
                _ = try await world.signUp("hana", to: application, attempt: Attempt(name: "two", request: [1]))
            },
        ]
        #expect(answers == [.attemptReused, .attemptReused, .identifiersTaken([.username])])
    }

    @Test("by the old password fails after a change, the other sessions have ended, and the own one lives")
    func change() async throws {
        let application = try await world.makeApplication()
        let own = try await world.signUp("hana", to: application)
        let other = try await world.logIn("hana", to: application)
        world.clock.advance(by: .seconds(601))
        let who = try await world.authenticate(own.token, in: application)
        let ended = try await change(from: password, to: newPassword, who)
        #expect(ended == 1)
        _ = try await world.authenticate(own.token, in: application)
        await #expect(throws: DomainError.sessionInvalid) { try await world.authenticate(other.token, in: application) }
        #expect(await world.refusal { _ = try await world.logIn("hana", to: application) } == .credentialRefused)
        _ = try await world.logIn("hana", newPassword, to: application)
    }

    @Test("is changed with the present password or on a fresh session, and with nothing less")
    func changeNeeds() async throws {
        let application = try await world.makeApplication()
        let own = try await world.signUp("hana", to: application)
        let who = try await world.authenticate(own.token, in: application)
        #expect(
            await world.refusal { _ = try await change(from: Secret("wrong"), to: newPassword, who) }
                == .credentialRefused)
        _ = try await change(from: nil, to: newPassword, who)
        world.clock.advance(by: .seconds(600))
        #expect(await world.refusal { _ = try await change(from: nil, to: password, who) } == .reauthenticationRequired)
        let answer = try await world.modules.sessions.reauthenticate(
            by: .password(newPassword), from: TestWorld.address, who, origin: .local)
        await #expect(throws: DomainError.sessionInvalid) { try await world.authenticate(own.token, in: application) }
        let fresh = try await world.authenticate(answer.token, in: application)
        #expect(answer.freshUntil == world.clock.now + .seconds(600) && fresh.session.id == own.session.id)
        _ = try await change(from: nil, to: password, fresh)
    }

    @Test("is what a registered user proves to be there by; a device key is enough for anonymous users only")
    func presence() async throws {
        let application = try await world.makeApplication()
        let device = TestDevice()
        let anonymous = try await world.logIn(device, to: application)
        world.clock.advance(by: .seconds(600))
        var who = try await world.authenticate(anonymous.token, in: application)
        #expect(!who.session.isFresh(at: world.clock.now))
        let answer = try await world.modules.sessions.reauthenticate(
            by: .deviceKey, from: TestWorld.address, who, origin: .local)
        who = try await world.authenticate(answer.token, in: application)
        #expect(who.session.isFresh(at: world.clock.now))
        _ = try await world.modules.accounts.upgradeUser(
            .init(identifiers: .init(username: .set("hana"), rules: .native), password: password), by: who,
            isProven: false, address: TestWorld.address, from: .local)
        let automatic = try await world.logIn(device, to: application)
        who = try await world.authenticate(automatic.token, in: application)
        #expect(!who.session.isFresh(at: world.clock.now))
        let refused = await world.refusal {
            _ = try await world.modules.sessions.reauthenticate(
                by: .deviceKey, from: TestWorld.address, who, origin: .local)
        }
        #expect(refused == .credentialRefused)
    }

    private func change(from current: Secret?, to new: Secret, _ who: Authenticated) async throws -> Int {
        try await world.modules.accounts.changePassword(
            .init(current: current, new: new, address: TestWorld.address, rules: .native, origin: .local), by: who,
            isProven: false
        ).ended
    }
}

/// One client with an account of its own would keep all others from having their passwords hashed (requirement 47).
@Suite("Log-ins by a right password")
struct PasswordLogInLimitTests {
    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server), hasRateLimits: true)
        application = try await world.makeApplication()
    }

    private static func address(_ text: String, isOldApp: Bool = false) -> ClientAddress {
        ClientAddress(text: text, allowanceGroup: text, isOldApp: isOldApp)
    }

    private func refusal(_ name: String, from address: ClientAddress = TestWorld.address) async -> DomainError? {
        await world.refusal { _ = try await world.logIn(name, to: application, from: address) }
    }

    /// Counts log-ins as if they had happened.
    private func count(_ number: Int, _ kind: String, _ subject: String) async throws {
        let (key, now) = (RateLimitKey(application: application.id, kind: kind, subject: subject), world.clock.now)
        try await world.engine.write { transaction throws(DomainError) in
            for _ in 0..<number { _ = try transaction.count(key, window: .seconds(3600), at: now) }
        }
    }

    @Test("are 600 an hour of one user from one address; what is too much costs no hash")
    func ofUser() async throws {
        let id = try await world.signUp("hana", to: application).user.id
        _ = try await world.signUp("mika", to: application)
        for _ in 0..<2 { #expect(await refusal("hana") == nil) }
        try await count(597, "password-log-in-user", "\(id.rawValue) \(TestWorld.address.allowanceGroup)")
        #expect(await refusal("hana") == nil)
        let compared = world.passwords.counted.comparisons
        let refused = await refusal("hana")
        #expect(refused?.code == .rateLimited && refused?.kind == .rateLimited)
        #expect(world.passwords.counted.comparisons == compared)
        // Neither another user, nor the user from elsewhere, nor a device that has its key is held up.
        #expect(await refusal("mika") == nil)
        #expect(await refusal("hana", from: Self.address("192.0.2.8")) == nil)
        #expect(await refusal("hana", from: Self.address(TestWorld.address.text, isOldApp: true)) == nil)
        world.clock.advance(by: .seconds(3600))
        #expect(await refusal("hana") == nil)
    }

    @Test("share their limit with all else that compares or chooses a password; what is too much costs no hash")
    func elsewhere() async throws {
        let (password, application) = (Secret("a long enough secret"), application)
        let own = try await world.signUp("hana", to: application)
        let who = try await world.authenticate(own.token, in: application)
        let origin = RequestOrigin(address: TestWorld.address.text)
        let (accounts, sessions) = (world.modules.accounts, world.modules.sessions)
        func change(from current: Secret?) async -> DomainError? {
            await world.refusal {
                _ = try await accounts.changePassword(
                    .init(
                        current: current, new: Secret("another secret for hana"), address: TestWorld.address,
                        rules: .native, origin: origin), by: who, isProven: false)
            }
        }
        func verify() async -> DomainError? {
            await world.refusal {
                _ = try await world.modules.logIns.verifyPassword(
                    .init(
                        application: application, password: password, address: TestWorld.address,
                        candidates: LogInIdentifier.candidates(of: "hana")))
            }
        }
        func reauthenticate() async -> DomainError? {
            await world.refusal {
                _ = try await sessions.reauthenticate(
                    by: .password(password), from: TestWorld.address, who, origin: origin)
            }
        }
        try await count(598, "password-log-in-user", "\(own.user.id.rawValue) \(TestWorld.address.allowanceGroup)")
        #expect(await verify() == nil)
        #expect(await reauthenticate() == nil)
        let worked = world.passwords.counted
        #expect(await verify()?.code == .rateLimited)
        #expect(await reauthenticate()?.code == .rateLimited)
        #expect(await change(from: password)?.code == .rateLimited)
        #expect(await change(from: nil)?.code == .rateLimited)
        #expect(await refusal("hana")?.code == .rateLimited)
        #expect(world.passwords.counted == worked)
    }

    @Test("are 3,000 an hour from one address, and ten times as many of old apps", arguments: [false, true])
    func ofAddress(isOldApp: Bool) async throws {
        _ = try await world.signUp("hana", to: application)
        let address = Self.address("192.0.2.9", isOldApp: isOldApp)
        let kind = "password-log-in\(isOldApp ? "-old-app" : "")"
        try await count(isOldApp ? 29_999 : 2_999, kind, address.allowanceGroup)
        #expect(await refusal("hana", from: address) == nil)
        let compared = world.passwords.counted.comparisons
        #expect(await refusal("hana", from: address)?.code == .rateLimited)
        #expect(world.passwords.counted.comparisons == compared)
        #expect(await refusal("hana", from: Self.address("192.0.2.10", isOldApp: isOldApp)) == nil)
    }
}
