import Foundation
import Okaeri
import OkaeriTesting
import OkaeriWire
import Testing

@Suite("A transfer to another device")
struct TransferTests {
    let world = World()
    let newVault = TestVault()

    @Test("logs the new device in as the same user, for good")
    func joins() async throws {
        let old = world.launch()
        let user = try await old.logInAutomatically(user: NewUser(displayName: "花子")).user
        let code = try await old.issueTransferCode()
        #expect(code.code.split(separator: "-").count == 4)
        #expect(code.expiresAt == world.clock.now.addingTimeInterval(86_400))
        let new = world.launch(vault: newVault)
        let result = try await new.redeemTransferCode(code.code.lowercased().replacing("-", with: "　"))
        #expect(result.welcome.user.id == user.id && result.welcome.user.displayName == "花子")
        #expect(result.leftUser == nil)
        #expect(await new.currentUser?.id == user.id)
        #expect(try await world.launch(vault: newVault).logInAutomatically().user.id == user.id)
    }

    @Test("is offered until a time of the device's own clock, however wrong that is", arguments: [-2, 2] as [Double])
    func wrongClock(days: Double) async throws {
        let clock = TestClock(world.clock.now.addingTimeInterval(days * 86_400))
        let okaeri = OkaeriClient(
            server: world.server.url, application: world.server.application, vault: newVault, transport: world.server,
            configuration: OkaeriConfiguration(worksInBackground: false), clock: clock,
            randomness: TestRandomness(seed: 9))
        try await okaeri.logInAutomatically()
        let code = try await okaeri.issueTransferCode()
        #expect(abs(code.expiresAt.timeIntervalSince(clock.now) - 86_400) < 1)
    }

    @Test("tells whom the device has left, and carries on as the other user")
    func leaves() async throws {
        let old = world.launch()
        let user = try await old.logInAutomatically().user
        let new = world.launch(vault: newVault)
        let left = try await new.logInAutomatically().user
        #expect(left.id != user.id)
        let result = try await new.redeemTransferCode(try await old.issueTransferCode().code)
        #expect(result.leftUser?.id == left.id)
        #expect(result.leftUser?.erasedAt == world.clock.now.addingTimeInterval(7 * 86_400))
        #expect(await new.reaches { $0.user?.id == user.id } != nil)
        #expect(try await new.reloadUser().id == user.id)
    }

    @Test("goes on when its caller is cancelled: the key leads to the other user by then")
    func cancelled() async throws {
        let old = world.launch(vault: newVault)
        let user = try await old.logInAutomatically().user
        let code = try await old.issueTransferCode().code
        let new = world.launchInSystemNetwork()
        try await new.logInAutomatically()
        world.server.hold(path: APIPath.logInWithTransferCode)
        let caller = Task { try await new.redeemTransferCode(code) }
        await world.server.waitForRequests(1, to: APIPath.logInWithTransferCode)
        caller.cancel()
        world.server.release()
        let result = try await caller.value
        #expect(result.welcome.user.id == user.id)
        #expect(await new.currentUser?.id == user.id)
    }

    @Test("is reported on the old device with its next response, and can be undone there")
    func noticesAndUndo() async throws {
        let old = world.launch()
        try await old.logInAutomatically()
        let new = world.launch(vault: newVault)
        let left = try await new.logInAutomatically().user
        var notices = old.notices.makeAsyncIterator()
        try await new.redeemTransferCode(
            try await old.issueTransferCode().code, device: DeviceInfo(name: "新しい電話"))
        try await old.reloadUser()
        let notice = try #require(await notices.next())
        #expect(notice.kind == .deviceAdded && notice.device.name == "新しい電話")
        #expect(notice.undoUntil == world.clock.now.addingTimeInterval(86_400))
        // Reported once; asked for once.
        try await old.reloadUser()
        try await old.reloadUser()
        #expect(world.server.requests(to: APIPath.notices).count == 1)
        try await old.undoTransfer(notice.id)
        #expect(try await old.pendingNotices().isEmpty)
        #expect(try await new.logInAutomatically().user.id == left.id)
    }

    @Test(
        "changes nothing that the guest's owner alone may, until the old device acknowledges it or for a day",
        arguments: [true, false])
    func unconfirmed(isAcknowledged: Bool) async throws {
        let old = world.launch()
        let user = try await old.logInAutomatically().user
        let new = world.launch(vault: newVault)
        try await new.redeemTransferCode(try await old.issueTransferCode().code)
        let waiting = OkaeriError.transferUnconfirmed(until: world.clock.now.addingTimeInterval(86_400))
        await #expect(throws: waiting) { try await new.upgrade(username: "hana", password: "four quiet words") }
        await #expect(throws: waiting) { try await new.removeOtherDeviceKeys() }
        await #expect(throws: waiting) { try await new.issueTransferCode() }
        await #expect(throws: waiting) { try await new.deleteUser() }
        #expect(try await new.reloadUser().id == user.id)
        for language in ["en", "ja", "ko"] {
            let text = waiting.message(in: [language])
            #expect(!text.contains("{") && text != OkaeriError.transferUnconfirmed(until: nil).message(in: [language]))
        }
        if isAcknowledged {
            try await old.acknowledge(try #require(try await old.pendingNotices().first).id)
        } else {
            world.clock.advance(by: .seconds(86_400))
        }
        try await new.upgrade(username: "hana", password: "four quiet words")
        #expect(await new.currentUser?.username == "hana")
    }

    @Test("leaves the new device out when it is undone, and something else leads to the user that it left")
    func undoneWithAnotherWayIn() async throws {
        let old = world.launch()
        try await old.logInAutomatically()
        let new = world.launch(vault: newVault)
        try await new.logInAutomatically()
        try await new.upgrade(username: "hana", password: "four quiet words")
        try await new.redeemTransferCode(try await old.issueTransferCode().code)
        let notice = try #require(try await old.pendingNotices().first)
        try await old.undoTransfer(notice.id)
        await #expect { try await new.logInAutomatically() } throws: { error in
            if case .deviceKeyRemoved? = error as? OkaeriError { true } else { false }
        }
    }

    @Test("is reported at the next launch of the old device, and not again when the person took note")
    func noticeAtLaunch() async throws {
        let code: TransferCode
        do {
            let old = world.launch()
            try await old.logInAutomatically()
            code = try await old.issueTransferCode()
        }
        try await world.launch(vault: newVault).redeemTransferCode(code.code)
        let again = world.launch()
        try await again.logInAutomatically()
        var notices = again.notices.makeAsyncIterator()
        let notice = try #require(await notices.next())
        try await again.acknowledge(notice.id)
        #expect(try await again.pendingNotices().isEmpty)
        #expect(try await world.launch(vault: newVault).pendingNotices().isEmpty)
    }

    @Test(
        "is not reported again to who listens later: after the person took note, or to the next user",
        arguments: [true, false])
    func noticeOfBefore(isAcknowledged: Bool) async throws {
        let old = world.launch(inBackground: false)
        try await old.logInAutomatically()
        var first = old.notices.makeAsyncIterator()
        try await world.launch(vault: newVault).redeemTransferCode(
            try await old.issueTransferCode().code, device: DeviceInfo(name: "first"))
        try await old.reloadUser()
        let notice = try #require(await first.next())
        if isAcknowledged {
            try await old.acknowledge(notice.id)
        } else {
            await old.useNewDeviceKey()
            try await old.logInAutomatically()
        }
        try await world.launch(vault: TestVault()).redeemTransferCode(
            try await old.issueTransferCode().code, device: DeviceInfo(name: "second"))
        var later = old.notices.makeAsyncIterator()
        try await old.reloadUser()
        #expect(await later.next()?.device.name == "second")
    }

    @Test("is refused with one error for every code that leads nowhere, and nothing changes")
    func refused() async throws {
        let old = world.launch()
        try await old.logInAutomatically()
        let new = world.launch(vault: newVault)
        let user = try await new.logInAutomatically().user
        let code = try await old.issueTransferCode().code
        try await old.withdrawTransferCode()
        await #expect(throws: OkaeriError.transferCodeRefused) { try await new.redeemTransferCode(code) }
        let late = try await old.issueTransferCode().code
        world.clock.advance(by: .seconds(86_400))
        await #expect(throws: OkaeriError.transferCodeRefused) { try await new.redeemTransferCode(late) }
        let problem = FieldProblem(field: "code", code: "not_a_transfer_code", detail: "16 letters and digits.")
        await #expect(throws: OkaeriError.invalidValues([problem])) { try await new.redeemTransferCode("abc") }
        #expect(try await new.reloadUser().id == user.id)
    }

    @Test("is kept where it replaces a log-in that was not to be remembered")
    func endsTemporary() async throws {
        let password = "four quiet words"
        _ = try await world.launch(vault: TestVault()).signUp(username: "hana", password: password)
        let old = world.launch()
        let user = try await old.logInAutomatically().user
        let new = world.launch(vault: newVault, inBackground: false)
        try await new.logIn(identifier: "hana", password: password, rememberMe: .untilQuit)
        try await new.redeemTransferCode(try await old.issueTransferCode().code)
        #expect(await new.currentUser?.id == user.id)
        #expect(await world.launch(vault: newVault).currentUser?.id == user.id)
    }

    @Test("takes no key of a registered user who has logged out, also from a log-in that was not to be remembered")
    func lockedKeyBeneathTemporary() async throws {
        let password = "four quiet words"
        _ = try await world.launch(vault: TestVault()).signUp(username: "kenji", password: password)
        let old = world.launch()
        let user = try await old.logInAutomatically().user
        let new = world.launch(vault: newVault, inBackground: false)
        let hana = try await new.signUp(username: "hana", password: password)
        try await new.logIn(identifier: "kenji", password: password, rememberMe: .untilQuit)
        let result = try await new.redeemTransferCode(try await old.issueTransferCode().code)
        #expect(result.welcome.user.id == user.id && result.leftUser == nil)
        #expect(world.server.users.first { $0.id == hana.id }?.identities.count == 1)
        #expect(try await world.launch(vault: newVault, inBackground: false).logInAutomatically().user.id == user.id)
    }

    @Test("survives an answer that gets lost")
    func lostAnswer() async throws {
        let old = world.launch()
        let user = try await old.logInAutomatically().user
        let new = world.launch(vault: newVault)
        let code = try await old.issueTransferCode().code
        world.server.fail(.lostResponse, path: APIPath.logInWithTransferCode)
        async let result = new.redeemTransferCode(code)
        await world.clock.waitForSleepers()
        world.clock.advance(by: .seconds(60))
        #expect(try await result.welcome.user.id == user.id)
        #expect(try await old.pendingNotices().count == 1)
    }

    @Test("keeps the code out of what is printed")
    func printing() async throws {
        let old = world.launch()
        try await old.logInAutomatically()
        let code = try await old.issueTransferCode()
        var dumped = ""
        dump(code, to: &dumped)
        for text in ["\(code)", String(reflecting: code), dumped] {
            #expect(!text.contains(code.code))
        }
    }
}
