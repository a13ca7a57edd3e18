import Foundation
import Okaeri
import OkaeriTesting
import OkaeriUI
import OkaeriWire
import Testing

@MainActor
@Suite("The old device's question about a device that joined by a code")
struct TransferNoticeScreenTests {
    let world = UIWorld()

    /// A tablet that joined the guest of the world's phone.
    private func joined(seed: UInt64 = 8) async throws -> OkaeriClient {
        try await world.client.logInAutomatically()
        let tablet = world.anotherClient(seed: seed)
        try await tablet.redeemTransferCode(try await world.client.issueTransferCode().code)
        return tablet
    }

    @Test("names the device, and lets it do everything after “That was me”")
    func mine() async throws {
        let tablet = try await joined()
        await #expect(throws: OkaeriError.self) { _ = try await tablet.issueTransferCode() }
        let screen = await world.show(TransferNoticeModel())
        #expect(screen.model.notice?.device.name == "Tablet" && screen.model.canUndo)
        screen.send(.confirmed)
        screen.send(.finished)
        screen.send(.reload)
        #expect(screen.model.form.isEnabled)
        screen.send(.mine)
        screen.send(.mine)
        await screen.settle()
        #expect(world.heard.outcomes == [.transferConfirmed] && screen.model.isFinished)
        #expect(screen.model.form.banner?.message == .key(.transferNoticeConfirmed))
        _ = try await tablet.issueTransferCode()
        screen.send(.finished)
        await screen.settle()
        #expect(world.heard.log.last == "close")
    }

    @Test("takes the device out after “That was not me”, and says before what happens")
    func notMine() async throws {
        let tablet = try await joined()
        let screen = await world.show(TransferNoticeModel())
        screen.send(.notMine)
        #expect(screen.model.isQuestionOpen && screen.model.form.isEnabled)
        screen.send(.mine)
        screen.send(.refused)
        screen.send(.confirmed)
        #expect(!screen.model.isQuestionOpen && screen.model.form.isEnabled)
        screen.send(.notMine)
        screen.send(.confirmed)
        await screen.settle()
        #expect(world.heard.outcomes == [.transferUndone] && screen.model.isFinished)
        #expect(screen.model.form.banner?.message == .key(.transferNoticeUndone))
        await #expect(throws: OkaeriError.self) { _ = try await tablet.reloadUser() }
    }

    @Test("asks about one device after the other, the oldest first")
    func several() async throws {
        _ = try await joined()
        world.clock.advance(by: .seconds(60))
        _ = try await joined(seed: 9)
        let screen = await world.show(TransferNoticeModel())
        let first = try #require(screen.model.notice)
        screen.send(.mine)
        await screen.settle()
        let second = try #require(screen.model.notice)
        #expect(first.createdAt < second.createdAt && !screen.model.isFinished)
    }

    @Test("shows a failure, and both the list and an answer that was lost can be asked for again")
    func again() async throws {
        _ = try await joined()
        world.server.isOffline = true
        let screen = await world.show(TransferNoticeModel())
        #expect(!screen.model.isLoaded && screen.model.form.banner?.message == .error(.offline))
        world.server.isOffline = false
        screen.send(.reload)
        await screen.settle()
        let notice = try #require(screen.model.notice)
        world.server.isOffline = true
        screen.send(.mine)
        await screen.settle()
        #expect(screen.model.notice == notice && screen.model.form.banner?.message == .error(.offline))
        world.server.isOffline = false
        // The server had taken the answer, and its response was lost.
        try await world.client.acknowledge(notice.id)
        screen.send(.mine)
        await screen.settle()
        #expect(screen.model.isFinished && world.heard.outcomes == [.transferConfirmed])
    }

    @Test("says when it is too late to take the device out")
    func tooLate() async throws {
        _ = try await joined()
        let screen = await world.show(TransferNoticeModel())
        world.clock.advance(by: .seconds(86_401))
        screen.send(.notMine)
        screen.send(.confirmed)
        await screen.settle()
        #expect(world.heard.errors == [.undoTooLate] && screen.model.notice != nil)
        #expect(screen.model.form.banner?.message == .error(.undoTooLate) && screen.model.form.isEnabled)
    }

    @Test("goes away by itself where no device waits")
    func nothing() async throws {
        try await world.client.logInAutomatically()
        let screen = await world.show(TransferNoticeModel())
        #expect(world.heard.log == ["close"] && screen.model.notice == nil)
    }

    @Test("comes by itself once the code that is shown was redeemed, and once only")
    func comesByItself() async throws {
        try await world.client.logInAutomatically()
        let screen = await world.show(TransferCodeModel())
        screen.send(.issue)
        await screen.settle()
        let code = try #require(screen.model.code).code
        try await world.anotherClient().redeemTransferCode(code)
        for _ in 0..<10 {
            await world.clock.waitForSleepers()
            world.clock.advance(by: .seconds(1))
        }
        while world.heard.shown.isEmpty { await Task.yield() }
        await world.clock.waitForSleepers()
        await screen.settle()
        #expect(world.heard.shown == [.transferNotice])
    }

    @Test("comes at once for a device that joined by an earlier code, and not over a screen that is gone")
    func comesAtOnce() async throws {
        _ = try await joined()
        _ = await world.show(TransferCodeModel())
        #expect(world.heard.shown == [.transferNotice])
        var model = TransferCodeModel()
        _ = model.handle(.form(.disappeared))
        let hidden = model.take(ScreenReport(.transfersKnown([ScreenReports.notice]), at: ScreenReports.instant))
        _ = model.handle(.form(.appeared))
        let shown = model.take(ScreenReport(.transfersKnown([ScreenReports.notice]), at: ScreenReports.instant))
        #expect(hidden.isEmpty && shown == [.show(.transferNotice)])
    }
}
