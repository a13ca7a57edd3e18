import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// The table of changes, walked by a device that joined a guest by a transfer code (decision 0254).
@Suite("A device that no other one has confirmed")
struct TransferConfirmationTests {
    private let world: TestWorld
    private let application: Application
    private let phone = TestDevice()
    private let owner: Authenticated

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        application = try await world.makeApplication()
        owner = try await world.authenticate(
            try await world.logIn(TestDevice(), to: application).token, in: application)
        let code = try await world.modules.transfers.issueTransferCode(by: owner, isProven: false, from: .local).code
        _ = try await world.modules.transfers.redeemTransferCode(
            .init(
                application: application, code: code.revealed, proof: try phone.presented(at: world.clock.now),
                address: TestWorld.address, origin: .local))
    }

    /// A log-in by the key that joined.
    private func joined() async throws -> Authenticated {
        try await world.authenticate(try await world.logIn(phone, to: application).token, in: application)
    }

    private func refusal(of change: AccountChange, to who: Authenticated, isProven: Bool) -> DomainError? {
        let author = AccountAuthor.owner(who, isProven: isProven, from: .local)
        do throws(DomainError) {
            try author.requireProof(of: change, at: world.clock.now)
            return nil
        } catch {
            return error
        }
    }

    /// What is asked of somebody who shows nothing but to be there.
    private func expected(_ change: AccountChange, _ unshown: DomainError?) -> DomainError? {
        let fresh = change.policy.fresh
        if fresh.isEmpty { return nil }
        return fresh.contains(.recentLogIn) ? unshown : .accessRefused
    }

    @Test(
        "shows nothing that the table asks of the owner, and what it asks nothing for is open",
        arguments: AccountChange.allCases)
    func table(change: AccountChange) async throws {
        let new = try await joined()
        for isProven in [true, false] {
            #expect(
                refusal(of: change, to: new, isProven: isProven)
                    == expected(change, .transferUnconfirmed(until: world.clock.now + .days(1))))
            #expect(refusal(of: change, to: owner, isProven: isProven) == expected(change, nil))
        }
    }

    @Test(
        "shows what every other device does once one of before has acknowledged it",
        arguments: AccountChange.allCases)
    func acknowledged(change: AccountChange) async throws {
        let notice = try #require(try await world.modules.transfers.listNotices(for: owner).first)
        try await world.modules.transfers.acknowledgeNotice(notice.id, by: owner, from: .local)
        #expect(refusal(of: change, to: try await joined(), isProven: true) == expected(change, nil))
    }

    @Test(
        "shows it after the day in which it can be taken out, when it is there then",
        arguments: AccountChange.allCases)
    func later(change: AccountChange) async throws {
        let new = try await joined()
        world.clock.advance(by: .days(1) - .milliseconds(1))
        #expect(
            refusal(of: change, to: new, isProven: true)
                == expected(change, .transferUnconfirmed(until: world.clock.now + .milliseconds(1))))
        world.clock.advance(by: .milliseconds(1))
        #expect(refusal(of: change, to: new, isProven: true) == expected(change, nil))
        #expect(refusal(of: change, to: new, isProven: false) == expected(change, .reauthenticationRequired))
    }
}
