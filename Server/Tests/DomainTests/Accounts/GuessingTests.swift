import Domain
import StorageSQLite
import TestWorld
import Testing

@Suite("Guessing passwords")
struct GuessingTests {
    let world: TestWorld
    let password = Secret("a long enough secret")

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server), passwordFailures: .passwordFailures)
    }

    @Test("costs no waiting five times, then 1 s, then twice as long each time up to 15 minutes")
    func delays() async throws {
        let application = try await world.makeApplication()
        _ = try await world.signUp("hana", password, to: application)
        for _ in 0..<5 { await refused(.credentialRefused, "hana", application) }
        for seconds: Int64 in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900] {
            await refused(.rateLimited(retryAfter: .seconds(seconds)), "hana", application)
            world.clock.advance(by: .seconds(seconds) - .milliseconds(1))
            await refused(.rateLimited(retryAfter: .milliseconds(1)), "hana", application)
            world.clock.advance(by: .milliseconds(1))
            await refused(.credentialRefused, "hana", application)
        }
    }

    @Test("never goes on after a hundred failures in a row, until a day has passed")
    func hundred() async throws {
        let application = try await world.makeApplication()
        _ = try await world.signUp("hana", password, to: application)
        for _ in 0..<100 {
            await refused(.credentialRefused, "hana", application)
            world.clock.advance(by: .seconds(900))
        }
        world.clock.advance(by: .days(1) - .seconds(901))
        await refused(.rateLimited(retryAfter: .seconds(1)), "hana", application, password)
        world.clock.advance(by: .seconds(1))
        _ = try await world.logIn("hana", password, to: application)
    }

    @Test("makes the right password wait too, and it ends the count")
    func rightPassword() async throws {
        let application = try await world.makeApplication()
        _ = try await world.signUp("hana", password, to: application)
        for _ in 0..<5 { await refused(.credentialRefused, "HANA", application) }
        await refused(.rateLimited(retryAfter: .seconds(1)), "hana", application, password)
        world.clock.advance(by: .seconds(1))
        _ = try await world.logIn("hana", password, to: application)
        for _ in 0..<5 { await refused(.credentialRefused, "hana", application) }
    }

    @Test("is the same for somebody who does not exist, down to the number of hashes")
    func unknown() async throws {
        let application = try await world.makeApplication()
        _ = try await world.signUp("hana", password, to: application)
        for _ in 0..<7 {
            var answers: [DomainError?] = []
            var comparisons: [Int] = []
            for name in ["hana", "nobody"] {
                let before = world.passwords.counted.comparisons
                answers.append(
                    await world.refusal { _ = try await world.logIn(name, Secret("wrong"), to: application) })
                comparisons.append(world.passwords.counted.comparisons - before)
                #expect(world.passwords.counted.share == .application(application.id))
            }
            #expect(answers[0] != nil && answers[0] == answers[1])
            #expect(comparisons[0] == comparisons[1])
        }
    }

    @Test("by a sign-up that comes again under its attempt's name counts as at a log-in")
    func repeatedSignUp() async throws {
        let application = try await world.makeApplication()
        let attempt = Attempt(name: "one", request: [1])
        func signUp(_ password: Secret) async -> DomainError? {
            await world.refusal { _ = try await world.signUp("hana", password, to: application, attempt: attempt) }
        }
        #expect(await signUp(password) == nil)
        for _ in 0..<5 { #expect(await signUp(Secret("another secret")) == .attemptReused) }
        #expect(await signUp(password) == .rateLimited(retryAfter: .seconds(1)))
        await refused(.rateLimited(retryAfter: .seconds(1)), "hana", application, password)
        world.clock.advance(by: .seconds(1))
        #expect(await signUp(password) == nil)
    }

    @Test("never keeps a device with its key out")
    func deviceKey() async throws {
        let application = try await world.makeApplication()
        let device = TestDevice()
        let signUp = try await world.signUp("hana", password, to: application, with: device)
        for _ in 0..<6 { _ = await world.refusal { _ = try await world.logIn("hana", Secret("x"), to: application) } }
        let logIn = try await world.logIn(device, to: application)
        #expect(logIn.user.id == signUp.user.id)
    }

    @Test("of many users from one address is refused after 120 in an hour, for that address only")
    func spraying() async throws {
        let application = try await world.makeApplication()
        for number in 0..<120 { await refused(.credentialRefused, "user \(number)", application) }
        await refused(.rateLimited(retryAfter: .seconds(3600)), "another", application)
        let elsewhere = ClientAddress(text: "192.0.2.8", allowanceGroup: "192.0.2.8")
        let answer = await world.refusal {
            _ = try await world.logIn("another", Secret("wrong"), to: application, from: elsewhere)
        }
        #expect(answer == .credentialRefused)
        world.clock.advance(by: .seconds(3600))
        await refused(.credentialRefused, "another", application)
    }

    @Test("forgets counts that nobody goes on with")
    func forgotten() async throws {
        let application = try await world.makeApplication()
        await refused(.credentialRefused, "hana", application)
        world.clock.advance(by: .days(1) + .milliseconds(1))
        try await world.modules.sessions.purgeExpired()
        let subject = LogInIdentifier(.username, shown: "hana").failureSubject
        let left = try await world.engine.read { transaction throws(DomainError) in
            try transaction.failures(of: subject, in: application.id)
        }
        #expect(left == nil)
    }

    @Test("counts against the user, by whichever identifier; what was not tried itself does not say so")
    func acrossIdentifiers() async throws {
        let application = try await world.makeApplication()
        try await signUp(username: "hana", email: "hana@example.com", application)
        for _ in 0..<3 { await refused(.credentialRefused, "hana", application) }
        for _ in 0..<2 { await refused(.credentialRefused, "hana@example.com", application) }
        for name in ["hana", "hana@example.com"] { await refused(.credentialRefused, name, application, password) }
        world.clock.advance(by: .seconds(1))
        _ = try await world.logIn("hana", password, to: application)
        // All of it is forgotten.
        for _ in 0..<5 { await refused(.credentialRefused, "hana", application) }
    }

    @Test("of two names that are one user's looks like guessing of two that are nobody's")
    func noLink() async throws {
        let application = try await world.makeApplication()
        try await signUp(username: "hana", email: "hana@example.com", application)
        for round in 0..<8 {
            var answers: [[DomainError?]] = []
            for names in [["hana", "hana@example.com"], ["nobody", "nobody@example.com"]] {
                var own: [DomainError?] = []
                for name in round < 6 ? names : names.reversed() {
                    own.append(
                        await world.refusal { _ = try await world.logIn(name, Secret("wrong"), to: application) })
                }
                answers.append(own)
            }
            #expect(answers[0] == answers[1], "round \(round)")
        }
    }

    @Test("does not try a password while the user has to wait: its time says nothing")
    func notTried() async throws {
        let application = try await world.makeApplication()
        try await signUp(username: "hana", email: "hana@example.com", application)
        for _ in 0..<5 { await refused(.credentialRefused, "hana", application) }
        await refused(.credentialRefused, "hana@example.com", application, password)
        #expect(!world.passwords.counted.hadHash)
        world.clock.advance(by: .seconds(1))
        _ = try await world.logIn("hana@example.com", password, to: application)
        #expect(world.passwords.counted.hadHash)
    }

    /// What people and programs write for one address.
    static let spellings = [
        "hana@example.com", " hana@example.com", "hana@example.com ", "HANA@Example.COM", "ｈａｎａ＠example.com",
        "\u{3000}hana@example.com\u{2003}", "ha\u{200B}na@example.com", "\u{A0} hana@example.com",
    ]

    @Test("is counted once however the name is padded or spelled, and a right guess that is not admitted ends no count")
    func spelled() async throws {
        let application = try await world.makeApplication()
        try await signUp(username: "hana", email: "hana@example.com", application)
        // As Parse reads names: first as a user name, then as an address, capitals and all.
        func guess(_ text: String, _ password: Secret = Secret("wrong")) async -> DomainError? {
            var request = LogInWithPassword.Request(
                application: application, identifier: text, password: password,
                client: LogInClient(
                    .native, from: TestWorld.address, origin: .local),
                candidates: [LogInIdentifier(.username, shown: text), LogInIdentifier(.email, shown: text)])
            request.isSpelledExactly = true
            return await world.refusal { _ = try await world.modules.logIns.logInWithPassword(request) }
        }
        // The right password under a wrong spelling is a failure like others.
        for text in Self.spellings[3..<7] + [Self.spellings[3]] {
            #expect(await guess(text, text == Self.spellings[3] ? password : Secret("wrong")) == .credentialRefused)
        }
        for text in Self.spellings { #expect(await guess(text, password) == .rateLimited(retryAfter: .seconds(1))) }
        world.clock.advance(by: .seconds(1))
        #expect(await guess("HANA@example.com", password) == .credentialRefused)
        #expect(await guess("hana@example.com", password) == .rateLimited(retryAfter: .seconds(2)))
        world.clock.advance(by: .seconds(2))
        #expect(await guess("hana@example.com", password) == nil)
    }

    @Test("is not forgotten when a user of nearly the same name logs in or signs up")
    func twin() async throws {
        let application = try await world.makeApplication()
        try await signUp(username: "hana", email: nil, application)
        func twin(_ name: String, signsUp: Bool) async throws {
            let identifiers = NewIdentifiers(
                username: .set(name),
                rules: AccountRules(
                    userNames: .anyText(maximumCharacters: 255), passwords: .anyText(minimumCharacters: 1)))
            if signsUp {
                _ = try await world.modules.logIns.signUp(
                    SignUp.Request(
                        application: application, identifiers: identifiers, password: password,
                        client: LogInClient(
                            .yearly, from: TestWorld.address, origin: RequestOrigin(address: TestWorld.address.text))))
            } else {
                _ = try await world.modules.logIns.logInWithPassword(
                    LogInWithPassword.Request(
                        application: application, identifier: name, password: password,
                        client: LogInClient(
                            .yearly, from: TestWorld.address, origin: .local),
                        candidates: [LogInIdentifier(.username, shown: name)]))
            }
        }
        try await twin(" hana ", signsUp: true)
        for _ in 0..<4 { await refused(.credentialRefused, "hana", application) }
        try await twin(" hana ", signsUp: false)
        try await twin("hana ", signsUp: true)
        await refused(.credentialRefused, "hana", application)
        await refused(.rateLimited(retryAfter: .seconds(1)), "hana", application, password)
    }

    @Test(
        "counts once for a name that is typed with a space, whose two readings are counted as one",
        arguments: [true, false])
    func typedSpace(isKnown: Bool) async throws {
        let application = try await world.makeApplication()
        if isKnown { _ = try await world.signUp("hana", password, to: application) }
        for _ in 0..<5 { await refused(.credentialRefused, "hana ", application) }
        await refused(.rateLimited(retryAfter: .seconds(1)), "hana ", application)
    }

    @Test("is not what a log-in was that found nobody, when it is followed by the sign-up")
    func forgiven() async throws {
        let world = try TestWorld(
            try SQLiteStore(.memory, role: .server),
            passwordFailures: RateLimit(maximum: 3, window: RateLimit.passwordFailures.window))
        let application = try await world.makeApplication()
        func refusal(_ name: String) async -> DomainError? {
            await world.refusal { _ = try await world.logIn(name, Secret("wrong"), to: application) }
        }
        for number in 0..<6 {
            #expect(await refusal("device \(number)") == .credentialRefused, "\(number)")
            _ = try await world.signUp("device \(number)", password, to: application)
            _ = try await world.logIn("device \(number)", password, to: application)
        }
        // Names that nobody takes, and wrong passwords of those that are taken, count as ever.
        for name in ["nobody", "device 1", "device 2"] { #expect(await refusal(name) == .credentialRefused) }
        #expect(await refusal("device 3") == .rateLimited(retryAfter: .seconds(3600)))
        // Failures of an earlier hour are no credit for this one.
        world.clock.advance(by: .seconds(3600))
        for name in ["device 3", "device 4", "device 5"] { #expect(await refusal(name) == .credentialRefused) }
        _ = try await world.signUp("nobody", password, to: application)
        // A guess at an address is none at the user name that reads the same, which anybody can take.
        #expect(await refusal("device 6").map { $0 != .credentialRefused } == true)
    }

    private func signUp(username: String, email: String?, _ application: Application) async throws {
        let identifiers = NewIdentifiers(
            username: .set(username), email: email.map { .set($0) } ?? .unchanged, rules: .native)
        _ = try await world.modules.logIns.signUp(
            SignUp.Request(
                application: application, identifiers: identifiers, password: password,
                client: LogInClient(
                    .native, from: TestWorld.address, origin: RequestOrigin(address: TestWorld.address.text))))
    }

    private func refused(
        _ expected: DomainError, _ name: String, _ application: Application, _ password: Secret = Secret("wrong"),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let answer = await world.refusal { _ = try await world.logIn(name, password, to: application) }
        #expect(answer == expected, sourceLocation: sourceLocation)
    }
}
