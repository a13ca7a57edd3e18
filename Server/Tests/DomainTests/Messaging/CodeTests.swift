import Domain
import StorageSQLite
import TestWorld
import Testing

@Suite("One-time codes")
struct CodeTests {
    private let carrier = TestCarrier()
    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(
            SQLiteStore(.memory, role: .server), hasRateLimits: true, mail: .carrier(carrier))
        application = try await world.makeApplication()
    }

    /// From a thousand on they are of the networks of one IPv6 site.
    private func client(_ number: Int) -> ClientAddress {
        number < 1000
            ? ClientAddress(text: "192.0.2.\(number)", allowanceGroup: "192.0.2.\(number)")
            : ClientAddress(text: "2001:db8:1:\(number)::1", allowanceGroup: "2001:db8:1:\(number)::/64")
    }

    /// Orders a code; the mail, if there is one, is sent.
    private func order(_ email: String = "hana@example.com", from number: Int = 1) async throws -> Secret {
        let ticket = try await world.modules.messaging.requestLogInCode(
            email: email, in: application, languages: ["ko"], from: client(number)
        ).ticket
        _ = try await world.modules.messaging.deliverMail()
        return ticket
    }

    private func logIn(
        _ ticket: Secret, _ code: String, attempt: Attempt? = nil, from number: Int = 1
    ) async throws -> LogIn {
        try await world.modules.logIns.logInWithCode(
            .init(
                application: application, ticket: ticket.revealed, code: code,
                client: LogInClient(.native, from: client(number), origin: .local), attempt: attempt))
    }

    private var lastCode: String { carrier.delivered.last?.code ?? "" }

    private func wrong(_ code: String) -> String {
        String(code.map { $0 == "1" ? "2" : $0.isNumber ? "1" : $0 })
    }

    @Test(
        "have the form that a person can type",
        arguments: [
            (MailKind.logInCode, false, #"\d{4} \d{4}"#), (.emailVerification, false, #"\d{3} \d{3}"#),
            (.phoneVerification, false, #"\d{3} \d{3}"#), (.textedReset, false, #"\d{4} \d{4}"#),
            (.emailVerification, true, #"[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){6}"#),
            (.passwordReset, false, #"[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){6}"#),
            (.registration, false, #"[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){6}"#),
            (.emailRecovery, true, #"[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){6}"#),
        ])
    func forms(kind: MailKind, hasLink: Bool, pattern: String) throws {
        let pattern = try Regex(pattern)
        let form = CodeForm.form(of: kind, hasLink: hasLink)
        let codes = (0..<50).map { _ in form.new(world.randomness) }
        #expect(Set(codes).count == 50)
        #expect(codes.allSatisfy { $0.wholeMatch(of: pattern) != nil })
        if case .digits = form { #expect(form.life <= .seconds(600)) }
    }

    @Test(
        "are read however they are typed",
        arguments: [
            ("1234 5678", "12345678"), ("１２３４　５６７８", "12345678"), ("1234-5678\n", "12345678"), ("oil0", "0110"),
            ("abcd-efgh", "ABCDEFGH"), ("", ""),
        ])
    func typing(typed: String, normal: String) {
        #expect(CodeForm.normal(typed) == normal)
        #expect(CodeForm.normal(String(repeating: "1", count: 201)) == nil)
    }

    @Test("log in the holder of ticket and mail, in the user's own language")
    func logIn() async throws {
        let user = try await world.makeUser(in: application, email: "Hana@example.com", isVerified: true, locale: "ja")
        let ticket = try await order("hana@EXAMPLE.com")
        #expect(carrier.delivered.map(\.language) == ["ja"])
        #expect(carrier.delivered.map(\.recipient) == ["Hana@example.com"], "the stored address, not the typed one")
        let logIn = try await logIn(ticket, lastCode)
        #expect(logIn.user.id == user.id && !logIn.isNew)
        #expect(logIn.session.method == .code)
        #expect(logIn.session.isFresh(at: world.clock.now))
        await #expect(throws: DomainError.codeRefused) { try await self.logIn(ticket, lastCode) }
    }

    @Test("are for verified addresses of users who may come in")
    func nobody() async throws {
        _ = try await world.makeUser(in: application, email: "hana@example.com", isVerified: false)
        var disabled = try await world.makeUser(in: application, email: "taro@example.com", isVerified: true)
        disabled.disabledAt = world.clock.now
        let kept = disabled
        try await world.engine.write { transaction throws(DomainError) in try transaction.updateStanding(of: kept) }
        for email in ["hana@example.com", "taro@example.com", "nobody@example.com"] {
            let ticket = try await order(email)
            await #expect(throws: DomainError.codeRefused) { try await logIn(ticket, "1234 5678") }
        }
        #expect(carrier.tries == 0)
        #expect(try await world.modules.messaging.listQueuedMail(in: application.id).isEmpty)
    }

    @Test("are bound to the order: another ticket is no use")
    func binding() async throws {
        _ = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true)
        let ticket = try await order()
        let code = lastCode
        for other in [Secret("nonsense"), Secret(""), try await order("nobody@example.com")] {
            await #expect(throws: DomainError.codeRefused) { try await logIn(other, code) }
        }
        _ = try await logIn(ticket, code)
    }

    @Test("are void after five wrong tries, after ten minutes, and when a newer one is asked for")
    func void() async throws {
        _ = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true)
        let ticket = try await order()
        for _ in 0..<5 {
            await #expect(throws: DomainError.codeRefused) { try await logIn(ticket, wrong(lastCode)) }
        }
        await #expect(throws: DomainError.codeRefused) { try await logIn(ticket, lastCode) }

        let late = try await order()
        world.clock.advance(by: .seconds(600))
        await #expect(throws: DomainError.codeRefused) { try await logIn(late, lastCode) }

        let older = try await order()
        let olderCode = lastCode
        let newer = try await order()
        await #expect(throws: DomainError.codeRefused) { try await logIn(older, olderCode) }
        _ = try await logIn(newer, lastCode)
    }

    @Test("are good at the last moment, after four wrong tries")
    func lastMoment() async throws {
        _ = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true)
        let ticket = try await order()
        for _ in 0..<4 {
            await #expect(throws: DomainError.codeRefused) { try await logIn(ticket, wrong(lastCode)) }
        }
        world.clock.advance(by: .milliseconds(599_999))
        _ = try await logIn(ticket, lastCode)
    }

    @Test("are void when the user has another mail address")
    func otherAddress() async throws {
        var user = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true)
        let ticket = try await order()
        user.email = "other@example.com"
        let changed = user
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.updateIdentifiers(of: changed)
        }
        await #expect(throws: DomainError.codeRefused) { try await logIn(ticket, lastCode) }
    }

    @Test("can be tried twenty times a day for one user from one client, a hundred times in all, and devices stay in")
    func perUser() async throws {
        let user = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true)
        let device = TestDevice()
        let now = world.clock.now
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.insert(
                Identity(provider: .device, subject: device.thumbprint, linkedAt: now), for: user.id,
                in: user.application)
        }
        var (ticket, tried) = (try await order(), 0)
        for round in 0..<5 {
            for _ in 0..<4 {
                await #expect(throws: DomainError.codeRefused) { try await logIn(ticket, wrong(lastCode)) }
                tried += 1
            }
            world.clock.advance(by: .seconds(600))
            ticket = try await order(from: round)
        }
        #expect(tried == 20)
        await #expect(throws: DomainError.codeRefused) { try await logIn(ticket, lastCode) }
        // The owner comes from elsewhere than the one who guesses.
        _ = try await logIn(ticket, lastCode, from: 77)
        for round in 0..<20 {
            ticket = try await order(from: 100 + round)
            for _ in 0..<4 {
                await #expect(throws: DomainError.codeRefused) {
                    try await logIn(ticket, wrong(lastCode), from: 100 + round)
                }
            }
            world.clock.advance(by: .seconds(600))
        }
        ticket = try await order(from: 78)
        await #expect(throws: DomainError.codeRefused) { try await logIn(ticket, lastCode, from: 78) }
        #expect(try await world.logIn(device, to: application).user.id == user.id)
        world.clock.advance(by: .days(1))
        ticket = try await order()
        _ = try await logIn(ticket, lastCode)
    }

    @Test(
        "of a void ticket count for nobody, and guesses of log-in codes keep nobody from a reset", arguments: [6, 40])
    func strangersGuesses(tries: Int) async throws {
        _ = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true)
        let stolen = try await order(from: 66)
        for _ in 0..<tries {
            await #expect(throws: DomainError.codeRefused) { try await logIn(stolen, wrong(lastCode), from: 66) }
        }
        let ticket = try await order()
        _ = try await logIn(ticket, lastCode)
        for round in 0..<5 {
            let again = try await order(from: 66 + round)
            for _ in 0..<5 {
                await #expect(throws: DomainError.codeRefused) {
                    try await logIn(again, wrong(lastCode), from: 66 + round)
                }
            }
        }
        try await resetByMail()
    }

    @Test("that one client or one IPv6 site guesses at for hours keep nobody out", arguments: [66...66, 1000...1004])
    func strangerAlone(clients: ClosedRange<Int>) async throws {
        _ = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true)
        for _ in 0..<5 {
            for number in 0..<5 {
                let client = clients.lowerBound + number % clients.count
                let ticket = try await order(from: client)
                for _ in 0..<5 {
                    await #expect(throws: DomainError.codeRefused) {
                        try await logIn(ticket, wrong(lastCode), from: client)
                    }
                }
            }
            world.clock.advance(by: .seconds(3601))
        }
        let ticket = try await order()
        _ = try await logIn(ticket, lastCode)
    }

    /// Orders a reset, and chooses a new password by the token of the mail.
    private func resetByMail() async throws {
        _ = try await world.modules.messaging.requestPasswordReset(
            email: "hana@example.com", in: application, languages: [], from: client(1))
        _ = try await world.modules.messaging.deliverMail()
        let token = try #require(carrier.delivered.last?.token)
        try await world.modules.accounts.resetPassword(
            .init(
                application: application, token: token, newPassword: Secret("a quite new secret"),
                address: client(1), origin: .local, rules: .native))
    }

    @Test(
        "of a reset leave the providers that lead to the account, and the mail names them; without a proof before all go",
        arguments: [true, false])
    func identitiesAfterReset(isVerified: Bool) async throws {
        let user = try await world.makeUser(in: application, email: "hana@example.com", isVerified: isVerified)
        let (id, now) = (user.id, world.clock.now)
        let application = application
        try await world.engine.write { transaction throws(DomainError) in
            for provider in [Identity.Provider.google, .line, .device] {
                try transaction.insert(
                    Identity(provider: provider, subject: "hana", linkedAt: now), for: id, in: application.id)
            }
        }
        try await resetByMail()
        _ = try await world.modules.messaging.deliverMail()
        let text = try #require(carrier.delivered.last?.text)
        #expect(text.contains("Google, LINE") == isVerified && text.contains("was changed just now"), "\(text)")
        let left = try await world.engine.read { transaction throws(DomainError) in
            try transaction.user(id, in: application.id)?.identities.map(\.provider.rawValue).sorted()
        }
        #expect(left == (isVerified ? ["google", "line"] : []))
    }

    @Test("of a text message are counted alike for a user and for a number that is nobody's")
    func textedCounters() async throws {
        var user = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true)
        (user.phone, user.phoneVerifiedAt) = ("+819012345678", world.clock.now)
        let known = user
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.updateIdentifiers(of: known)
        }
        let limit = world.clock.now + .seconds(1)
        func counters() async throws -> Int {
            try await world.engine.read { transaction throws(DomainError) in
                try transaction.counters(startedBefore: limit, after: nil, count: 1000).count
            }
        }
        var added: [Int] = []
        for (number, phone) in ["+819012345678", "+819012345679"].enumerated() {
            var request = ResetPassword.Request(
                application: application, token: "12345678", newPassword: Secret("a quite new secret"),
                address: client(number), origin: .local, rules: .native)
            request.owner = .identifier(LogInIdentifier(.phone, shown: phone))
            let (asked, before) = (request, try await counters())
            let refusal = await world.refusal { try await world.modules.accounts.resetPassword(asked) }
            #expect(refusal == .codeRefused)
            added.append(try await counters() - before)
        }
        #expect(added.first == added.last && added.first != 0)
    }

    @Test("answer a repeated attempt again, and no other")
    func repetition() async throws {
        _ = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true)
        let ticket = try await order()
        let attempt = Attempt(name: "one", request: [1])
        let first = try await logIn(ticket, lastCode, attempt: attempt)
        let second = try await logIn(ticket, lastCode, attempt: attempt)
        #expect(first.session.id == second.session.id)
        await #expect(throws: DomainError.codeRefused) {
            try await logIn(ticket, lastCode, attempt: Attempt(name: "two", request: [1]))
        }
        await #expect(throws: DomainError.codeRefused) { try await logIn(ticket, lastCode) }
    }

    @Test("can be ordered five times an hour for one address by one client, fifteen by all, thirty for all addresses")
    func orders() async throws {
        _ = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true)
        for email in ["hana@example.com", "nobody@example.com"] {
            for number in 0..<3 {
                for _ in 0..<5 { _ = try await order(email, from: number) }
                await #expect(throws: DomainError.rateLimited(retryAfter: .seconds(3600))) {
                    try await order(email.uppercased(), from: number)
                }
            }
            await #expect(throws: DomainError.rateLimited(retryAfter: .seconds(3600))) {
                try await order(email.uppercased(), from: 9)
            }
        }
        // The networks of one IPv6 site are one client.
        for number in 1000..<1005 { _ = try await order("site@example.com", from: number) }
        await #expect(throws: DomainError.rateLimited(retryAfter: .seconds(3600))) {
            try await order("site@example.com", from: 1005)
        }
        _ = try await order("site@example.com", from: 1)
        for number in 0..<30 { _ = try await order("user\(number)@example.com", from: 99) }
        await #expect(throws: DomainError.rateLimited(retryAfter: .seconds(3600))) {
            try await order("user31@example.com", from: 99)
        }
    }

    @Test("can be ordered again and again where the server has no limits")
    func unlimited() async throws {
        let world = try TestWorld(SQLiteStore(.memory, role: .server), mail: .outbox)
        let application = try await world.makeApplication()
        for number in 0..<31 {
            let refusal = await world.refusal {
                _ = try await world.modules.messaging.requestLogInCode(
                    email: "hana@example.com", in: application, languages: [], from: TestWorld.address)
            }
            #expect(refusal == nil, "\(number)")
        }
    }

    @Test("can be tried sixty times an hour by one client")
    func tries() async throws {
        for number in 0..<60 {
            await #expect(throws: DomainError.codeRefused) { try await logIn(Secret("\(number)"), "1234 5678") }
        }
        await #expect(throws: DomainError.rateLimited(retryAfter: .seconds(3600))) {
            try await logIn(Secret("61"), "1234 5678")
        }
    }

    @Test("are refused to everybody where no mail can be sent")
    func noMail() async throws {
        let world = try TestWorld(SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        _ = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true)
        for email in ["hana@example.com", "nobody@example.com"] {
            await #expect(throws: DomainError.mailUnavailable) {
                try await world.modules.messaging.requestLogInCode(
                    email: email, in: application, languages: [], from: TestWorld.address)
            }
        }
    }

    @Test("are in the database as digests that differ between applications, kinds and keys")
    func digests() throws {
        let one = CodeDigests(key: try .ofTests())
        let two = CodeDigests(key: try #require(SealingKey(bytes: [UInt8](repeating: 8, count: 32))))
        let app = Identifier<Application>(rawValue: "a")
        let all = [
            one.digests(of: .logInCode, in: app, .ticket("t"), "1"),
            one.digests(of: .logInCode, in: app, .ticket("t"), "2"),
            one.digests(of: .logInCode, in: app, .ticket("u"), "1"),
            one.digests(of: .passwordReset, in: app, .ticket("t"), "1"),
            one.digests(of: .logInCode, in: Identifier(rawValue: "b"), .ticket("t"), "1"),
            one.digests(of: .logInCode, in: app, .user(Identifier(rawValue: "t")), "1"),
            two.digests(of: .logInCode, in: app, .ticket("t"), "1"),
        ]
        #expect(Set(all.map(\.digest)).count == all.count)
        #expect(Set(all.map(\.handle)).count == all.count - 1, "the handle does not depend on the code")
    }
}
