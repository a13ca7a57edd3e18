import Domain
import enum OkaeriWire.JSONValue
import StorageSQLite
import TestWorld
import Testing

@Suite("Upgrade of an anonymous user")
struct UpgradeUserTests {
    let world: TestWorld
    let device = TestDevice()
    let password = Secret("a long enough secret")

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
    }

    @Test("keeps id, session and device key, and changes, adds and removes fields at once")
    func upgrade() async throws {
        let application = try await world.makeApplication()
        let logIn = try await world.logIn(device, to: application)
        try await world.edit(
            logIn.user.id, in: application, UserEdit(fields: .set(["score": 3, "old": true])))
        let user = try await world.upgrade(
            logIn,
            NewIdentifiers(
                username: .set(" Hana "), email: .set("Hana@例え.テスト"), phone: .set("+81 90 1234 5678"), rules: .native),
            changes: .init(displayName: .set("花"), fields: .set(["score": 4, "old": .null, "new": "yes"])),
            in: application)
        #expect(user.id == logIn.user.id && !user.isAnonymous && user.hasPassword)
        #expect(user.username == "Hana" && user.email == "Hana@例え.テスト" && user.phone == "+819012345678")
        #expect(user.displayName == "花" && user.fields == ["score": 4, "new": "yes"])
        let who = try await world.authenticate(logIn.token, in: application)
        #expect(who.user == user && who.session.id == logIn.session.id)
        #expect(try await world.logIn(device, to: application).user.id == user.id)
        for identifier in ["hana", "ＨＡＮＡ", "hana@xn--r8jz45g.xn--zckzah", "+81-90-1234-5678"] {
            #expect(try await world.logIn(identifier, password, to: application).user.id == user.id)
        }
    }

    @Test("is refused for a user that is registered, and changes nothing")
    func registered() async throws {
        let application = try await world.makeApplication()
        let logIn = try await world.signUp("hana", to: application)
        let answer = await world.refusal {
            _ = try await world.upgrade(
                logIn, NewIdentifiers(username: .set("hanako"), rules: .native), in: application)
        }
        #expect(answer == .alreadyRegistered)
        #expect(try await world.logIn("hana", to: application).user == logIn.user.loggedInAgain(at: world.clock.now))
    }

    @Test("is refused without any identifier, and without a password")
    func empty() async throws {
        let application = try await world.makeApplication()
        let logIn = try await world.logIn(device, to: application)
        let none = ValidationError(field: "", rule: .noneOf(["username", "email", "phone"]))
        let noPassword = ValidationError(field: "password", rule: .required)
        let cases: [(NewIdentifiers, Secret?, [ValidationError])] = [
            (.init(rules: .native), password, [none]), (.init(rules: .native), nil, [none, noPassword]),
            (.init(username: .set("hana"), rules: .native), nil, [noPassword]),
        ]
        for (identifiers, password, faults) in cases {
            let answer = await world.refusal {
                _ = try await world.upgrade(logIn, identifiers, password, in: application)
            }
            #expect(answer == .fieldsRefused(faults))
        }
        #expect(try await world.modules.directory.readUser(logIn.user.id, in: application.id) == logIn.user)
        #expect(world.passwords.counted.hashes == 0)
    }

    @Test("is refused when somebody has an identifier, and names each")
    func taken() async throws {
        let application = try await world.makeApplication()
        let logIn = try await world.logIn(device, to: application)
        let other = try await world.logIn(TestDevice(), to: application)
        _ = try await world.upgrade(
            other, NewIdentifiers(username: .set("Straße"), email: .set("hana@example.com"), rules: .native),
            in: application)
        let answer = await world.refusal {
            _ = try await world.upgrade(
                logIn,
                NewIdentifiers(
                    username: .set("STRASSE"), email: .set("HANA@EXAMPLE.COM"), phone: .set("+819012345678"),
                    rules: .native),
                changes: .init(displayName: .set("花")), in: application)
        }
        #expect(answer == .identifiersTaken([.username, .email]))
        #expect(try await world.modules.directory.readUser(logIn.user.id, in: application.id) == logIn.user)
    }

    @Test("that is repeated because its answer was lost is answered again, but only with the right password")
    func repeated() async throws {
        let application = try await world.makeApplication()
        let logIn = try await world.logIn(device, to: application)
        let identifiers = NewIdentifiers(username: .set("hana"), rules: .native)
        let user = try await world.upgrade(logIn, identifiers, isNamedAttempt: true, in: application)
        let again = try await world.upgrade(logIn, identifiers, isNamedAttempt: true, in: application)
        #expect(again == user)
        let wrong = await world.refusal {
            _ = try await world.upgrade(
                logIn, identifiers, Secret("another secret"), isNamedAttempt: true, in: application)
        }
        let other = await world.refusal {
            _ = try await world.upgrade(
                logIn, NewIdentifiers(username: .set("hanako"), rules: .native), isNamedAttempt: true, in: application)
        }
        #expect(wrong == .alreadyRegistered && other == .alreadyRegistered)
    }

    @Test(
        "that is repeated while the first try is under way is answered as that one, and nothing else is",
        arguments: [true, false])
    func overtaken(isProven: Bool) async throws {
        let application = try await world.makeApplication()
        let logIn = try await world.logIn(device, to: application)
        if isProven { world.clock.advance(by: .seconds(3600)) }
        // All came in before one of them was stored.
        let who = try await world.authenticate(logIn.token, in: application)
        func ask(_ name: String, _ password: Secret, isNamed: Bool = true) async throws -> User {
            try await world.modules.accounts.upgradeUser(
                UpgradeUser.Request(
                    identifiers: NewIdentifiers(username: .set(name), rules: .native), password: password,
                    isNamedAttempt: isNamed),
                by: who, isProven: isProven, address: TestWorld.address, from: .local)
        }
        let user = try await ask("hana", password)
        #expect(try await ask("hana", password) == user)
        let wrong = await world.refusal { _ = try await ask("hana", Secret("another secret")) }
        let other = await world.refusal { _ = try await ask("hanako", password) }
        let unnamed = await world.refusal { _ = try await ask("hana", password, isNamed: false) }
        #expect(wrong == .alreadyRegistered)
        #expect([other, unnamed].allSatisfy { $0 == .alreadyRegistered || $0 == .reauthenticationRequired })
    }

    @Test("that is repeated is answered again where the log-in is older than ten minutes, and nothing else is")
    func repeatedLater() async throws {
        let application = try await world.makeApplication()
        let logIn = try await world.logIn(device, to: application)
        world.clock.advance(by: .seconds(3600))
        func ask(_ name: String, _ password: Secret) async throws -> User {
            try await world.upgrade(
                logIn, NewIdentifiers(username: .set(name), rules: .native), password, isNamedAttempt: true,
                isProven: true, in: application)
        }
        let user = try await ask("hana", password)
        #expect(try await ask("hana", password) == user)
        let wrong = await world.refusal { _ = try await ask("hana", Secret("another secret")) }
        let other = await world.refusal { _ = try await ask("hanako", password) }
        #expect(wrong == .alreadyRegistered && other == .reauthenticationRequired)
    }

    @Test("that is repeated counts as a log-in does: what is too much costs no hash, and guesses wait")
    func repeatedTooOften() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), hasRateLimits: true)
        let application = try await world.makeApplication()
        let logIn = try await world.logIn(device, to: application)
        let identifiers = NewIdentifiers(username: .set("hana"), rules: .native)
        func refusal(_ password: Secret) async -> DomainError? {
            await world.refusal {
                _ = try await world.upgrade(logIn, identifiers, password, isNamedAttempt: true, in: application)
            }
        }
        #expect(await refusal(password) == nil)
        for _ in 0..<5 { #expect(await refusal(Secret("another secret")) == .alreadyRegistered) }
        #expect(await refusal(password)?.code == .rateLimited)
        world.clock.advance(by: .seconds(1))
        #expect(await refusal(password) == nil)
        let key = RateLimitKey(
            application: application.id, kind: "password-log-in-user",
            subject: "\(logIn.user.id.rawValue) \(TestWorld.address.allowanceGroup)")
        let now = world.clock.now
        try await world.engine.write { transaction throws(DomainError) in
            for _ in 0..<600 { _ = try transaction.count(key, window: .seconds(3600), at: now) }
        }
        let compared = world.passwords.counted.comparisons
        #expect(await refusal(password)?.code == .rateLimited)
        #expect(world.passwords.counted.comparisons == compared)
    }

    @Test(
        "refuses user names that look like something else",
        arguments: [
            ("hana@example.com", ValidationError.Rule.notAUserName), ("+819012345678", .notAUserName),
            ("ha  na", .notAUserName), ("ha\u{200B}na", .notAUserName), ("ha\u{202E}na", .notAUserName),
            ("hana\u{E000}", .notAUserName), ("h\u{430}na", .mixedScripts), ("αlpha", .mixedScripts),
            ("ha\u{7}na", .controlCharacter), ("", .empty), ("  ", .empty),
            (String(repeating: "h", count: 65), .tooLong(maximumCharacters: 64)),
        ])
    func userNames(name: String, rule: ValidationError.Rule) async throws {
        let application = try await world.makeApplication()
        let logIn = try await world.logIn(device, to: application)
        let answer = await world.refusal {
            _ = try await world.upgrade(logIn, NewIdentifiers(username: .set(name), rules: .native), in: application)
        }
        #expect(answer == .fieldsRefused([ValidationError(field: "username", rule: rule)]))
    }

    @Test(
        "takes user names of any one alphabet",
        arguments: ["はな 花子", "김하나 kim", "Ελένη", "Анна", "O'Brien-Śmith_7", "a"])
    func goodUserNames(name: String) async throws {
        let application = try await world.makeApplication()
        let logIn = try await world.logIn(device, to: application)
        #expect(
            try await world.upgrade(logIn, NewIdentifiers(username: .set(name), rules: .native), in: application)
                .username == name)
    }
}

extension User {
    fileprivate func loggedInAgain(at now: Timestamp) -> User {
        var user = self
        user.previousLogInAt = user.lastLogInAt
        user.lastLogInAt = now
        return user
    }
}
