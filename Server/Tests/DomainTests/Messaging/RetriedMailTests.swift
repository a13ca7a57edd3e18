import Domain
import StorageSQLite
import TestWorld
import Testing

@Suite("A mail that is tried again says what still holds, or is not sent")
struct RetriedMailTests {
    /// What comes between a mail's first try and its second.
    enum Meanwhile: CaseIterable { case nothing, anotherOrder, anotherAddress, deletion, anotherPassword }

    private static let email = "hana@example.com"
    private static let password = Secret("a long enough secret")

    private let carrier = TestCarrier()
    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(SQLiteStore(.memory, role: .server), mail: .carrier(carrier))
        application = try await world.makeApplication()
    }

    private func orderReset() async throws {
        _ = try await world.modules.messaging.requestPasswordReset(
            email: Self.email, in: application, languages: [], from: TestWorld.address)
    }

    /// Resets the password by the token of the last mail.
    private func reset(to password: Secret, sentIn languages: [String]? = nil) async throws {
        let token = try #require(carrier.delivered.last { $0.token != nil }?.token)
        var request = ResetPassword.Request(
            application: application, token: token, newPassword: password, address: TestWorld.address,
            origin: .local, rules: .native)
        request.sentIn = languages
        try await world.modules.accounts.resetPassword(request)
    }

    private func happen(_ meanwhile: Meanwhile, to user: User) async throws {
        carrier.plan()
        world.clock.advance(by: .seconds(1))
        switch meanwhile {
        case .nothing: break
        case .anotherOrder:
            try await orderReset()
            #expect(try await world.modules.messaging.deliverMail().delivered == 1)
        case .anotherAddress:
            var moved = try await world.modules.directory.readUser(user.id, in: application.id)
            moved.email = "another@example.com"
            let present = moved
            try await world.engine.write { transaction throws(DomainError) in
                try transaction.updateIdentifiers(of: present)
            }
        case .deletion:
            _ = try await world.modules.deletion.deleteUser(user.id, in: application, by: .local)
        case .anotherPassword:
            try await orderReset()
            _ = try await world.modules.messaging.deliverMail()
            try await reset(to: Secret("quite another secret"))
        }
        world.clock.advance(by: .seconds(10))
    }

    /// That a mail was given up for a reason that operators see, and cannot be sent again.
    private func expectEnd(of kind: MailKind, _ reason: String) async throws {
        let left = try await world.modules.messaging.listQueuedMail(in: application.id)
        let mail = try #require(left.first { $0.kind == kind })
        #expect(mail.nextTryAt == nil && mail.sealed == nil && mail.lastFault == reason)
        let refusal = await world.refusal {
            _ = try await world.modules.messaging.manageQueuedMail.retry(mail.id, in: application.id, by: .local)
        }
        #expect(refusal == .administration(.mailExpired))
    }

    @Test(
        "with a link that is dead by then",
        arguments: [
            (.nothing, nil), (.anotherOrder, "its code was used, replaced or withdrawn"),
            (.anotherAddress, "the user has another address by now"),
            // By that link the user can come back.
            (.deletion, nil),
        ] as [(Meanwhile, String?)])
    func link(meanwhile: Meanwhile, reason: String?) async throws {
        let user = try await world.makeUser(in: application, email: Self.email, isVerified: true)
        try await orderReset()
        carrier.plan(.failed(reason: "451"))
        #expect(try await world.modules.messaging.deliverMail().postponed == 1)
        try await happen(meanwhile, to: user)
        let links = carrier.delivered.count { $0.token != nil }
        let round = try await world.modules.messaging.deliverMail()
        #expect(round.givenUp == (reason == nil ? 0 : 1) && round.fault == reason)
        #expect(carrier.delivered.count { $0.token != nil } == links + (reason == nil ? 1 : 0))
        if let reason { try await expectEnd(of: .passwordReset, reason) }
    }

    @Test("and comes three times in its hour where nobody says whether it was taken")
    func unanswered() async throws {
        _ = try await world.makeUser(in: application, email: Self.email, isVerified: true)
        try await orderReset()
        let begin = world.clock.now
        var next: Timestamp? = begin
        while let due = next {
            world.clock.advance(by: due - world.clock.now)
            carrier.plan(.unanswered(reason: "silence"))
            next = try await world.modules.messaging.deliverMail().nextAt
        }
        #expect(carrier.tries == 3)
        #expect(world.clock.now >= begin + .seconds(3 * 675))
    }

    @Test("also when an operator sends it again")
    func byOperator() async throws {
        let user = try await world.makeUser(in: application, email: Self.email, isVerified: true)
        try await orderReset()
        carrier.plan(.refused(reason: "550"))
        #expect(try await world.modules.messaging.deliverMail().givenUp == 1)
        try await happen(.anotherOrder, to: user)
        #expect(try await world.modules.messaging.manageQueuedMail.retryAll(in: application.id, by: .local) == 1)
        #expect(try await world.modules.messaging.deliverMail().givenUp == 1)
        try await expectEnd(of: .passwordReset, "its code was used, replaced or withdrawn")
        // The one that was ordered later is good.
        try await reset(to: Self.password)
    }

    @Test("with a link to sign up with an address that somebody has by then")
    func registration() async throws {
        try await world.modules.logIns.registerByMail(
            email: Self.email, in: application, languages: [], from: TestWorld.address)
        carrier.plan(.failed(reason: "451"))
        #expect(try await world.modules.messaging.deliverMail().postponed == 1)
        _ = try await world.makeUser(in: application, email: Self.email, isVerified: true)
        world.clock.advance(by: .seconds(10))
        #expect(try await world.modules.messaging.deliverMail().givenUp == 1)
        #expect(carrier.delivered.isEmpty)
        try await expectEnd(of: .registration, "somebody else has the address by now")
    }

    @Test(
        "with a password that the server chose, while the notice of the change goes to the address that the user had then",
        arguments: [
            (.nothing, nil), (.anotherAddress, "the address is not the user's any more"),
            (.anotherPassword, "the password in it was changed since"),
        ] as [(Meanwhile, String?)])
    func password(meanwhile: Meanwhile, reason: String?) async throws {
        let user = try await world.makeUser(in: application, email: Self.email, isVerified: true)
        try await orderReset()
        #expect(try await world.modules.messaging.deliverMail().delivered == 1)
        carrier.plan(.failed(reason: "451"), .failed(reason: "451"))
        try await reset(to: Self.password, sentIn: [])
        #expect(try await world.modules.messaging.deliverMail().postponed == 2)
        try await happen(meanwhile, to: user)
        let round = try await world.modules.messaging.deliverMail()
        #expect(round.givenUp == (reason == nil ? 0 : 1) && round.fault == reason)
        let sent = carrier.delivered.filter { $0.token == nil }
        #expect(sent.contains { $0.text.contains(Self.password.revealed) } == (reason == nil))
        #expect(sent.contains { $0.recipient == Self.email && !$0.text.contains(Self.password.revealed) })
        if let reason { try await expectEnd(of: .chosenPassword, reason) }
    }
}
