import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// A device joins a guest by a transfer code, and then the guest becomes one with a registered user.
@Suite("A device that joined a guest who is merged")
struct MergedTransferTests {
    private let world: TestWorld
    private let application: Application
    private let old = TestDevice()
    private let phone = TestDevice()
    private let tablet = TestDevice()
    private let guest: Authenticated
    /// The session of a device that the registered user had before.
    private let hana: Authenticated
    /// Whom the phone's key led to before.
    private let left: Identifier<User>
    private let code: Secret

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        application = try await world.makeApplication()
        guest = try await world.authenticate(try await world.logIn(old, to: application).token, in: application)
        hana = try await world.authenticate(
            try await world.signUp("hana", to: application, with: tablet).token, in: application)
        left = try await world.logIn(phone, to: application).user.id
        code = try await world.modules.transfers.issueTransferCode(by: guest, isProven: false, from: .local).code
        world.clock.advance(by: .seconds(1))
        _ = try await redeem()
        world.clock.advance(by: .seconds(1))
    }

    private func redeem() async throws -> RedeemTransferCode.Redeemed {
        try await world.modules.transfers.redeemTransferCode(
            .init(
                application: application, code: code.revealed, proof: try phone.presented(at: world.clock.now),
                device: DeviceDescription(name: "電話"), address: TestWorld.address, origin: .local))
    }

    /// Merges the guest into the registered user, as an operator.
    private func merge() async throws -> Identifier<Merge> {
        let merge = try await world.modules.administration.users.merge(
            guest.user.id, into: hana.user.id, in: application, by: .local)
        world.clock.advance(by: .seconds(1))
        return merge
    }

    private func session(of device: TestDevice) async throws -> Authenticated {
        try await world.authenticate(try await world.logIn(device, to: application).token, in: application)
    }

    private func notices(for who: Authenticated) async throws -> [Transfer] {
        try await world.modules.transfers.listNotices(for: who)
    }

    @Test("is news to the devices that the user who stays had before, and can be taken out again by them")
    func undone() async throws {
        #expect(try await notices(for: hana).isEmpty)
        _ = try await merge()
        let joined = try await session(of: phone)
        #expect(joined.user.id == hana.user.id)
        let notice = try #require(try await notices(for: hana).first)
        #expect(notice.deviceKey == phone.thumbprint && notice.device.name == "電話" && notice.user == hana.user.id)
        try await world.modules.transfers.undoTransfer(notice.id, by: hana, from: .local)
        #expect(try await notices(for: hana).isEmpty)
        // Nothing else leads to the user that it left, who was on the way out by it alone.
        #expect(try await world.logIn(phone, to: application).user.id == left)
        let back = try await world.modules.directory.readUser(left, in: application.id)
        #expect(back.deletionRequestedAt == nil)
    }

    @Test("can be taken out within a day of its joining, whenever the users became one", arguments: [true, false])
    func end(isInTime: Bool) async throws {
        _ = try await merge()
        let notice = try #require(try await notices(for: hana).first)
        // It joined two seconds ago.
        world.clock.advance(by: .seconds(86_400 - (isInTime ? 3 : 2)))
        let refused = await world.refusal {
            try await world.modules.transfers.undoTransfer(notice.id, by: hana, from: .local)
        }
        #expect(refused == (isInTime ? nil : .undoTooLate))
    }

    @Test("is news to the session that merges, but not to itself", arguments: [true, false])
    func merging(isItself: Bool) async throws {
        let who = isItself ? try await session(of: phone) : guest
        let ticket = MergeTicket(
            application: application.id, digest: MergeTicket.digest(of: "ticket"), user: guest.user.id,
            other: hana.user.id, expiresAt: world.clock.now + MergeTicket.lifetime)
        try await world.engine.write { transaction throws(DomainError) in try transaction.insert(ticket) }
        let resolution = try await world.modules.transfers.resolveMerge(
            "ticket", .merge, by: who, address: TestWorld.address, from: .local)
        let logIn = try #require(resolution.logIn)
        #expect(logIn.noticeCount == (isItself ? 0 : 1))
        let merged = try await world.authenticate(logIn.token, in: application)
        #expect(try await notices(for: merged).count == logIn.noticeCount)
        let notice = try #require(try await notices(for: hana).first)
        let joined = try await session(of: phone)
        #expect(
            await world.refusal {
                try await world.modules.transfers.undoTransfer(notice.id, by: joined, from: .local)
            } == .transferUnknown)
        // How long another key led to the guest says nothing of the user that stays.
        #expect(try await notices(for: try await session(of: old)).isEmpty)
    }

    @Test("does not come in again by its code, which led to the guest and not to the user that stays")
    func spentCode() async throws {
        #expect(try await redeem().logIn.user.id == guest.user.id)
        let merge = try await merge()
        #expect(await world.refusal { _ = try await redeem() } == .transferCodeRefused)
        try await world.modules.transfers.undoMerge(merge, of: hana.user.id, in: application.id, by: .local)
        #expect(await world.refusal { _ = try await redeem() } == .transferCodeRefused)
        #expect(try await world.logIn(phone, to: application).user.id == guest.user.id)
    }

    @Test("is news to the guest's devices when the merge is undone, and stays out when it was taken out before")
    func mergeUndone() async throws {
        let merge = try await merge()
        let undoMerge = world.modules.transfers.undoMerge
        try await undoMerge(merge, of: hana.user.id, in: application.id, by: .local)
        #expect(try await notices(for: hana).isEmpty)
        let notice = try #require(try await notices(for: try await session(of: old)).first)
        #expect(notice.user == guest.user.id)
        let again = try await self.merge()
        try await world.modules.transfers.undoTransfer(notice.id, by: hana, from: .local)
        try await undoMerge(again, of: hana.user.id, in: application.id, by: .local)
        #expect(try await notices(for: try await session(of: old)).isEmpty)
        let back = try await world.modules.directory.readUser(guest.user.id, in: application.id)
        #expect(back.identities.map(\.subject) == [old.thumbprint])
    }
}
