import Foundation
import Okaeri
import OkaeriTesting
import OkaeriUI
import Testing

@MainActor
@Suite("The screen of the person's own devices")
struct DeviceKeyScreenTests {
    let world = UIWorld()
    let password = "a long enough secret"

    /// The owner's phone, and as many tablets that joined by the password, a minute after each other.
    private func tablets(_ count: Int) async throws -> [OkaeriClient] {
        _ = try await world.client.signUp(username: "hana", password: password)
        var tablets: [OkaeriClient] = []
        for number in 0..<count {
            world.clock.advance(by: .seconds(60))
            let tablet = world.anotherClient(seed: UInt64(20 + number))
            try await tablet.logIn(identifier: "hana", password: password)
            tablets.append(tablet)
        }
        return tablets
    }

    @Test("lists them, this one first, and removes one after a question")
    func remove() async throws {
        let tablets = try await tablets(2)
        let screen = await world.show(DeviceKeysModel())
        let list = try #require(screen.model.devices)
        #expect(list.map(\.isCurrent) == [true, false, false] && screen.model.hasOthers)
        #expect(list[1].lastUsedAt ?? .distantPast > list[2].lastUsedAt ?? .distantFuture)
        screen.send(.confirmed)
        screen.send(.remove("nobody"))
        screen.send(.remove(list[0].id))
        #expect(screen.model.question == nil)
        screen.send(.remove(list[1].id))
        #expect(screen.model.question == .remove(list[1]))
        screen.send(.refused)
        screen.send(.confirmed)
        screen.send(.remove(list[1].id))
        screen.send(.confirmed)
        screen.send(.confirmed)
        await screen.settle()
        #expect(screen.model.devices?.map(\.id) == [list[0].id, list[2].id])
        #expect(world.heard.outcomes == [.devicesRemoved(count: 1)])
        await #expect(throws: OkaeriError.self) { try await tablets[1].reloadUser() }
        #expect(try await tablets[0].reloadUser().username == "hana")
    }

    @Test("removes all others at once, and stays logged in itself")
    func removeOthers() async throws {
        _ = try await tablets(2)
        let screen = await world.show(DeviceKeysModel())
        screen.send(.removeOthers)
        #expect(screen.model.question == .removeOthers)
        screen.send(.confirmed)
        await screen.settle()
        #expect(screen.model.devices?.count == 1 && !screen.model.hasOthers)
        #expect(world.heard.outcomes == [.devicesRemoved(count: 2)])
        #expect(screen.model.form.banner?.message == .key(.deviceKeysRemoved, ["count": "2"]))
        screen.send(.removeOthers)
        #expect(screen.model.question == nil)
        #expect(try await world.client.reloadUser().username == "hana")
    }

    @Test("asks for the password when the log-in is older, and goes on by itself afterwards")
    func presence() async throws {
        _ = try await tablets(1)
        world.clock.advance(by: .seconds(3600))
        let screen = await world.show(DeviceKeysModel())
        screen.send(.removeOthers)
        screen.send(.confirmed)
        await screen.settle()
        #expect(world.heard.shown == [.reauthentication(for: .deviceKeys)] && world.heard.errors.isEmpty)
        #expect(screen.model.devices?.count == 2)
        try await world.client.reauthenticate(password: password)
        screen.send(.form(.presenceProved))
        await screen.settle()
        #expect(screen.model.devices?.count == 1 && world.heard.outcomes == [.devicesRemoved(count: 1)])
    }

    @Test("has what was wanted when another device was faster")
    func faster() async throws {
        _ = try await tablets(1)
        let screen = await world.show(DeviceKeysModel())
        let other = try #require(screen.model.devices?.last)
        try await world.client.removeDeviceKey(other.id)
        screen.send(.remove(other.id))
        screen.send(.confirmed)
        await screen.settle()
        #expect(screen.model.devices?.count == 1 && world.heard.errors.isEmpty)
    }

    @Test("offers to look once more when the server was out of reach")
    func reload() async throws {
        _ = try await tablets(0)
        world.server.isOffline = true
        let screen = await world.show(DeviceKeysModel())
        #expect(screen.model.devices == nil && world.heard.errors == [.offline])
        world.server.isOffline = false
        screen.send(.reload)
        await screen.settle()
        #expect(screen.model.devices?.count == 1 && screen.model.form.banner == nil)
    }

    @Test("tells a guest's device that joined by a code to be confirmed on the old one first, and until when it waits")
    func unconfirmed() async throws {
        let old = world.anotherClient()
        try await old.logInAutomatically()
        try await world.client.redeemTransferCode(try await old.issueTransferCode().code)
        let screen = await world.show(DeviceKeysModel())
        screen.send(.removeOthers)
        screen.send(.confirmed)
        await screen.settle()
        let error = OkaeriError.transferUnconfirmed(until: world.clock.now.addingTimeInterval(86_400))
        #expect(world.heard.errors == [error] && screen.model.devices?.count == 2)
        #expect(screen.model.form.banner?.message == .error(error) && screen.model.form.isEnabled)
        try await old.acknowledge(try #require(try await old.pendingNotices().first).id)
        screen.send(.removeOthers)
        screen.send(.confirmed)
        await screen.settle()
        #expect(screen.model.devices?.count == 1 && world.heard.outcomes == [.devicesRemoved(count: 1)])
    }

    @Test("leaves a person whose device was taken out of the account a way on as a new guest, which says so before")
    func removedKey() async throws {
        let guest = try await world.client.logInAutomatically().user
        let tablet = world.anotherClient()
        try await tablet.redeemTransferCode(try await world.client.issueTransferCode().code)
        try await world.client.acknowledge(try #require(try await world.client.pendingNotices().first).id)
        #expect(try await tablet.removeOtherDeviceKeys() == 1)
        let screen = await world.show(try LogInModel(LogInOptions(fields: [.default, .guestButton])))
        screen.send(.guest)
        await screen.settle()
        #expect(world.heard.log == ["logIn failed: device_key_removed"])
        #expect(screen.model.guestTitle == .logInNewGuest && screen.model.form.isEnabled)
        // Once is enough for a key, however often the server is out of reach.
        world.server.isOffline = true
        screen.send(.guest)
        await screen.settle()
        #expect(world.heard.errors.last == .offline && screen.model.guestTitle == .logInNewGuest)
        world.server.isOffline = false
        screen.send(.guest)
        await screen.settle()
        let user = try #require(await world.client.currentUser)
        #expect(user.isAnonymous && user.id != guest.id)
        #expect(world.server.users.count == 2)
    }

    @Test("loses no new guest, with whom another window has gone on already")
    func removedKeyInTwoWindows() async throws {
        try await world.client.logInAutomatically()
        let tablet = world.anotherClient()
        try await tablet.redeemTransferCode(try await world.client.issueTransferCode().code)
        try await world.client.acknowledge(try #require(try await world.client.pendingNotices().first).id)
        #expect(try await tablet.removeOtherDeviceKeys() == 1)
        let first = await world.show(try LogInModel(LogInOptions(fields: [.default, .guestButton])))
        let second = await world.show(try LogInModel(LogInOptions(fields: [.default, .guestButton])))
        for screen in [first, second] {
            screen.send(.guest)
            await screen.settle()
            #expect(screen.model.guestTitle == .logInNewGuest)
        }
        first.send(.guest)
        await first.settle()
        let guest = try #require(await world.client.currentUser)
        second.send(.guest)
        await second.settle()
        #expect(await world.client.currentUser?.id == guest.id && world.server.users.count == 2)
    }
}
