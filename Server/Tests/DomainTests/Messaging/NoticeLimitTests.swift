import StorageSQLite
import TestWorld
import Testing

@testable import Domain

@Suite("Mails about what was done to an account")
struct NoticeLimitTests {
    @Test(
        "go to an address that nobody verified three times a day, and always to a verified one",
        arguments: [true, false])
    func limited(isVerified: Bool) async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), mail: .outbox)
        let application = try await world.makeApplication()
        let user = try await world.makeUser(in: application, email: "hana@example.com", isVerified: isVerified).id
        var isDisabled = false
        func change() async throws -> [QueuedMail] {
            isDisabled.toggle()
            try await world.modules.accounts.setUserDisabled(
                user, in: application, isDisabled: isDisabled, by: .local)
            return try await world.modules.messaging.listQueuedMail(in: application.id)
        }
        let begun = world.clock.now
        for number in 1...5 {
            let count = try await change().count
            #expect(count == (isVerified ? number : min(number, 3)), "\(number)")
        }
        world.clock.advance(by: .days(1) - .milliseconds(1))
        let count = try await change().count
        #expect(count == (isVerified ? 6 : 3))
        world.clock.advance(by: .milliseconds(1))
        let queued = try await change()
        #expect(queued.count == (isVerified ? 7 : 4))
        #expect(queued.allSatisfy { $0.expiresAt == $0.createdAt + .days(1) })
        #expect(queued.count { $0.createdAt == begun } == (isVerified ? 5 : 3))
        #expect(Set(queued.map(\.kind)) == [.accountDisabled, .accountEnabled])
    }

    @Test(
        "and those that strangers order at many applications reach a person twenty times an hour by one, sixty in all")
    func stranger() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), hasRateLimits: true, mail: .outbox)
        var applications: [Application] = []
        for number in 0..<5 { applications.append(try await world.makeApplication("Shop \(number)")) }
        let (shops, last) = (applications.prefix(4), applications[4])
        func order(_ email: String, at application: Application, from network: Int) async throws {
            _ = try await world.modules.messaging.requestPasswordReset(
                email: email, in: application, languages: [],
                from: ClientAddress(text: "192.0.2.\(network)", allowanceGroup: "192.0.2.\(network)"))
        }
        let refusal = DomainError.rateLimited(retryAfter: .seconds(3600))
        for network in 1...3 {
            for shop in shops {
                for _ in 0..<5 { try await order("hana@example.com", at: shop, from: network) }
            }
            await #expect(throws: refusal) { try await order("Hana@Example.com", at: last, from: network) }
            try await order("taro@example.com", at: last, from: network)
        }
        await #expect(throws: refusal) { try await order("hana@example.com", at: last, from: 4) }
        try await order("taro@example.com", at: last, from: 4)
        world.clock.advance(by: .seconds(3600))
        try await order("hana@example.com", at: last, from: 1)
    }

    @Test("tell of a device that joined by a transfer code, and of none that was the user's before")
    func joinedDevice() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), mail: .outbox)
        let application = try await world.makeApplication()
        let user = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true).id
        let device = TestDevice()
        for number in 0..<2 {
            // An operator's code, for who asks for help.
            let code = try await world.modules.transfers.issueTransferCode(to: user, in: application, by: .local).code
            _ = try await world.modules.transfers.redeemTransferCode(
                .init(
                    application: application, code: code.revealed, proof: try device.presented(at: world.clock.now),
                    address: TestWorld.address, origin: .local))
            let kinds = try await world.modules.messaging.listQueuedMail(in: application.id).map(\.kind)
            #expect(kinds == [.deviceJoined], "\(number)")
            world.clock.advance(by: .seconds(1))
        }
    }

    @Test("tell that an operator gave the account a guest's ways in, to whom the account is")
    func mergedByOperator() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), mail: .outbox)
        let application = try await world.makeApplication()
        let user = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true).id
        let guest = try await world.logIn(TestDevice(), to: application).user.id
        _ = try await world.modules.administration.users.merge(guest, into: user, in: application, by: .local)
        let mails = try await world.modules.messaging.listQueuedMail(in: application.id)
        #expect(mails.map(\.kind) == [.identityLinked])
    }

    @Test("tell that a deletion was taken back, by an operator and at a log-in", arguments: [true, false])
    func restored(isByOperator: Bool) async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), mail: .outbox)
        let application = try await world.makeApplication()
        let (id, tenant) = (try await world.signUp("hana", to: application).user.id, application.id)
        try await world.engine.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: tenant) else { throw .userUnknown }
            user.email = "hana@example.com"
            try transaction.updateIdentifiers(of: user)
        }
        _ = try await world.modules.deletion.deleteUser(id, in: application, by: .local)
        world.clock.advance(by: .seconds(1))
        if isByOperator {
            for _ in 0..<2 { try await world.modules.deletion.restoreUser(id, in: tenant, by: .local) }
        } else {
            _ = try await world.modules.logIns.logInWithPassword(
                LogInWithPassword.Request(
                    application: application, identifier: "hana", password: Secret("a long enough secret"),
                    client: LogInClient(.native, proof: nil, from: TestWorld.address, origin: .local),
                    restoringFrom: .local))
        }
        #expect(try await world.modules.directory.readUser(id, in: tenant).deletionRequestedAt == nil)
        let kinds = try await world.modules.messaging.listQueuedMail(in: tenant).map(\.kind)
        #expect(Set(kinds) == [.deletionRequested, .accountRestored] && kinds.count == 2)
    }

    private static func message(
        _ kind: MailKind, linked: [String]? = nil, pages: String? = nil
    ) -> RenderedMessage {
        var message = RenderedMessage(kind: kind, recipient: "hana@example.com", languages: [], pages: pages)
        message.linked = linked
        return message
    }

    @Test("say where a deleted account comes back, as far as there are pages for it", arguments: MailLanguage.allCases)
    func restoration(language: MailLanguage) {
        let pages = "https://id.example.com/a/app"
        let further = MailTexts.further(for: Self.message(.deletionRequested, pages: pages), in: language)
        #expect(further?.hasSuffix("\n\n\(pages)/log-in") == true)
        #expect(MailTexts.further(for: Self.message(.deletionRequested), in: language) == nil)
        for kind in MailKind.allCases where kind != .deletionRequested {
            #expect(MailTexts.further(for: Self.message(kind, pages: pages), in: language) == nil, "\(kind)")
        }
    }

    /// A new password ends no second factor: with a thief's one there the owner needs an operator (decision 0095).
    @Test(
        "say of a changed second factor whom to ask, beside the new password",
        arguments: [(.english, "write to"), (.japanese, "運営者"), (.korean, "운영자")] as [(MailLanguage, String)])
    func secondFactor(language: MailLanguage, words: String) {
        let template = MailTexts.template(for: .secondFactorChanged, in: language, hasLink: false)
        #expect(template.text.contains(words), "\(template.text)")
    }

    @Test("name what still leads to an account, and the page on which it is removed", arguments: MailLanguage.allCases)
    func linked(language: MailLanguage) throws {
        let (linked, pages) = (["Apple", "LINE"], "https://id.example.com/a/app")
        let names = linked.joined(separator: language == .japanese ? "、" : ", ")
        let with = try #require(
            MailTexts.further(for: Self.message(.passwordChanged, linked: linked, pages: pages), in: language))
        #expect(with.contains(names) && with.hasSuffix("\n\n\(pages)/account"))
        let without = try #require(
            MailTexts.further(for: Self.message(.passwordChanged, linked: linked), in: language))
        #expect(without.contains(names) && !without.contains("/account") && !without.contains("\n"))
        #expect(without.hasSuffix(language == .japanese ? "。" : "."))
        var numbered = Self.message(.passwordChanged, linked: linked)
        numbered.numberEnding = "94"
        let both = try #require(MailTexts.further(for: numbered, in: language))
        #expect(both.hasPrefix("\(without)\n\n") && both.dropFirst(without.count).contains("94"))
    }
}
