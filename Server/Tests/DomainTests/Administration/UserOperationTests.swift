import StorageSQLite
import TestWorld
import Testing

@testable import Domain

@Suite("What operators do to one user")
struct UserOperationTests {
    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server), mail: .outbox)
        application = try await world.makeApplication()
    }

    private var users: UserOperations { world.modules.administration.users }

    private func entries(_ action: AuditEntry.Action) async throws -> [AuditEntry] {
        try await world.modules.administration.audit.list(in: application.id, matching: AuditFilter(action: action))
    }

    private func guest() async throws -> Identifier<User> {
        try await world.logIn(TestDevice(), to: application).user.id
    }

    enum Obstacle: CaseIterable {
        case disabledGuest, disabledOther, leavingGuest, leavingOther, itself
    }

    @Test("merges a guest who may come in into somebody else who may", arguments: Obstacle.allCases)
    func obstacles(obstacle: Obstacle) async throws {
        let (guest, hana) = (try await self.guest(), try await world.signUp("hana", to: application).user.id)
        var into = hana
        switch obstacle {
        case .disabledGuest, .disabledOther:
            try await world.modules.accounts.setUserDisabled(
                obstacle == .disabledGuest ? guest : hana, in: application, isDisabled: true, by: .local)
        case .leavingGuest, .leavingOther:
            _ = try await world.modules.deletion.deleteUser(
                obstacle == .leavingGuest ? guest : hana, in: application, by: .local)
        case .itself: into = guest
        }
        let target = into
        let refused = await world.refusal {
            _ = try await users.merge(guest, into: target, in: application, by: .local)
        }
        #expect(refused == .fieldsRefused([ValidationError(field: "into", rule: .notOffered)]))
        #expect(try await entries(AccountChange.mergedByOperator.policy.action).isEmpty)
        #expect(try await world.modules.directory.readUser(hana, in: application.id).identities.isEmpty)
    }

    @Test("merges nobody registered, and nobody who is not there")
    func merged() async throws {
        let (guest, hana) = (try await self.guest(), try await world.signUp("hana", to: application).user.id)
        let nobody = Identifier<User>(rawValue: "nobody")
        for (one, other) in [(nobody, hana), (guest, nobody)] {
            #expect(
                await world.refusal { _ = try await users.merge(one, into: other, in: application, by: .local) }
                    == .userUnknown)
        }
        #expect(
            await world.refusal { _ = try await users.merge(hana, into: guest, in: application, by: .local) }
                == .alreadyRegistered)
        let action = AccountChange.mergedByOperator.policy.action
        #expect(try await entries(action).isEmpty)
        _ = try await users.merge(guest, into: hana, in: application, by: .local)
        let recorded = try await entries(action)
        #expect(recorded.map(\.target) == [.user(hana)] && recorded.map(\.actor) == [.operator])
        #expect(recorded.first?.details["left-user"] == guest.rawValue)
        #expect(try await world.modules.directory.readUser(hana, in: application.id).identities.count == 1)
    }

    @Test("orders a new password for who has an address, and records it once the mail waits")
    func reset() async throws {
        let order = users.orderPasswordReset
        func refusal(of id: Identifier<User>) async -> DomainError? {
            await world.refusal {
                try await order(for: id, in: application, from: TestWorld.address, by: .local)
            }
        }
        let hana = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true).id
        let mika = try await world.signUp("mika", to: application).user.id
        #expect(await refusal(of: Identifier(rawValue: "nobody")) == .userUnknown)
        #expect(
            await refusal(of: mika) == .fieldsRefused([ValidationError(field: "email", rule: .required)]))
        #expect(try await entries(.resetOrdered).isEmpty)
        #expect(await refusal(of: hana) == nil)
        #expect(try await entries(.resetOrdered).map(\.target) == [.user(hana)])
        let mails = try await world.modules.messaging.listQueuedMail(in: application.id)
        #expect(mails.map(\.kind) == [.passwordReset] && mails.first?.expiresAt == world.clock.now + .seconds(3600))
    }

    @Test("orders no password where no mail can be sent, and records none")
    func noMail() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        let hana = try await world.makeUser(in: application, email: "hana@example.com", isVerified: true).id
        let refused = await world.refusal {
            try await world.modules.administration.users.orderPasswordReset(
                for: hana, in: application, from: TestWorld.address, by: .local)
        }
        #expect(refused == .mailUnavailable)
        let entries = try await world.modules.administration.audit.list(
            in: application.id, matching: AuditFilter(action: .resetOrdered))
        #expect(entries.isEmpty)
    }

    @Test(
        "lists at least one session or merge, and no more than there are",
        arguments: [(.min, 1), (-1, 1), (0, 1), (1, 1), (2, 2), (3, 3), (.max, 3)] as [(Int, Int)])
    func activity(limit: Int, count: Int) async throws {
        for name in ["hana", "mika", "sora"] {
            let user = try await world.signUp(name, to: application).user.id
            world.clock.advance(by: .seconds(1))
            // The guest's session ends with the merge.
            _ = try await users.merge(try await guest(), into: user, in: application, by: .local)
        }
        let sessions = try await users.listActivity.sessions(in: application.id, for: .unrestricted, limit: limit)
        #expect(sessions.count == count)
        let merges = try await users.listActivity.merges(in: application.id, limit: limit)
        #expect(merges.merges.count == count && merges.tickets.isEmpty)
    }
}
