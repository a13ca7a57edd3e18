import Foundation
import Okaeri
import OkaeriTesting
import OkaeriWire
import Testing

@Suite("Device keys")
struct DeviceKeyTests {
    let world = World()
    let password = "a long enough secret"

    /// The owner's phone, and a tablet that joined by the password.
    private func devices() async throws -> (phone: OkaeriClient, tablet: OkaeriClient, vault: TestVault) {
        let phone = world.launch(inBackground: false)
        try await phone.signUp(username: "hana", password: password)
        let vault = TestVault()
        let tablet = world.launch(vault: vault, inBackground: false)
        try await tablet.logIn(identifier: "hana", password: password)
        return (phone, tablet, vault)
    }

    @Test("are listed, and the own one is marked")
    func list() async throws {
        let (phone, tablet, _) = try await devices()
        let keys = try await phone.deviceKeys()
        #expect(keys.map(\.isCurrent) == [true, false] && keys.allSatisfy { $0.device.name == "Hana's phone" })
        #expect(try await tablet.deviceKeys().map(\.thumbprint) == keys.map(\.thumbprint))
    }

    @Test("are removed one by one, and tell the device why")
    func remove() async throws {
        let (phone, tablet, _) = try await devices()
        let other = try #require(try await phone.deviceKeys().first { !$0.isCurrent })
        try await phone.removeDeviceKey(other.id)
        let error = await #expect(throws: OkaeriError.self) { try await tablet.reloadUser() }
        guard case .deviceKeyRemoved(let reason, let at)? = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(reason == "device_key_removed" && at != nil)
        #expect(await tablet.reaches { $0 != .unknown } == .loggedOut(.ended))
        #expect(try await phone.deviceKeys().count == 1)
        await #expect(throws: OkaeriError.providerRefused(.identityUnknown)) {
            try await phone.removeDeviceKey(other.id)
        }
        await #expect(throws: OkaeriError.self) { try await phone.removeDeviceKey("") }
        #expect(try await phone.deviceKeys().count == 1)
    }

    @Test("go with a new password and “log out everywhere”, and join again by the password")
    func rejoin() async throws {
        let (phone, tablet, vault) = try await devices()
        #expect(try await phone.changePassword(from: password, to: "another secret") == 1)
        let error = await #expect(throws: OkaeriError.self) { try await tablet.logInAutomatically() }
        #expect(error?.code == "device_key_removed")
        let user = try await tablet.logIn(identifier: "hana", password: "another secret").user
        #expect(try await world.launch(vault: vault).logInAutomatically().user.id == user.id)
        #expect(try await phone.endOtherSessions() >= 1)
        await #expect(throws: OkaeriError.self) { try await world.launch(vault: vault).logInAutomatically() }
        #expect(try await phone.reloadUser().id == user.id)
    }

    @Test("of all other devices are removed at once")
    func removeOthers() async throws {
        let (phone, tablet, _) = try await devices()
        #expect(try await phone.removeOtherDeviceKeys() == 1)
        #expect(try await phone.removeOtherDeviceKeys() == 0)
        await #expect(throws: OkaeriError.self) { try await tablet.logInAutomatically() }
    }

    @Test("that are the last way in of a guest stay")
    func lastWayIn() async throws {
        let guest = world.launch()
        let user = try await guest.logInAutomatically().user
        let key = try #require(try await guest.deviceKeys().first)
        await #expect(throws: OkaeriError.lastWayIn) { try await guest.removeDeviceKey(key.id) }
        #expect(try await guest.endOtherSessions() == 0)
        #expect(try await world.launch().logInAutomatically().user.id == user.id)
    }

    @Test("are all gone when the device was forgotten, also by a client that has not looked at them yet")
    func forgotten() async throws {
        let client = world.launch(inBackground: false)
        try await client.logInAutomatically()
        await client.useNewDeviceKey()
        let second = try await client.logInAutomatically().user
        let next = world.launch(inBackground: false)
        try await next.forgetDevice()
        try await next.logInAutomatically()
        await next.useNewDeviceKey()
        guard case .firstVisit(let user) = try await next.logInAutomatically() else {
            Issue.record("not .firstVisit")
            return
        }
        #expect(user.id != second.id)
    }

    @Test("that were replaced still prove the log-out from what they opened, where every request needs a proof")
    func logOutByFormerKey() async throws {
        world.server.proofRequired = true
        let client = world.launch(inBackground: false)
        try await client.logInAutomatically()
        try await client.reloadUser()
        world.server.isOffline = true
        await client.useNewDeviceKey()
        world.server.isOffline = false
        // The first may be the one that found no network.
        await client.deliverPendingLogOuts()
        #expect(await client.deliverPendingLogOuts())
        #expect(world.server.sessionCount == 0)
    }

    @Test("are replaced on wish by one that begins anew")
    func newKey() async throws {
        let (phone, tablet, vault) = try await devices()
        #expect(try await phone.removeOtherDeviceKeys() == 1)
        await #expect(throws: OkaeriError.self) { try await tablet.logInAutomatically() }
        await tablet.useNewDeviceKey()
        let guest = try await tablet.logInAutomatically()
        #expect(guest.user.isAnonymous)
        #expect(try await world.launch(vault: vault).logInAutomatically().user.id == guest.user.id)
    }
}
