import Foundation
import Okaeri
import OkaeriTesting
import OkaeriWire
import Testing

@Suite("Complaints about storage")
struct StorageComplaintTests {
    let world = World()

    @Test("complaint 8: a record that cannot be written leaves no half log-in behind")
    func unwritableRecord() async throws {
        world.vault.refusesRecords = true
        let client = world.launch()
        let user = try await client.logInAutomatically().user
        #expect(await client.currentUser?.id == user.id)
        await #expect(throws: OkaeriError.storageUnavailable("refused by the test")) { try await client.checkStorage() }
        // The next launch finds the key, and nothing that contradicts it.
        world.vault.refusesRecords = false
        let next = world.launch()
        #expect(await next.currentUser == nil)
        #expect(try await next.logInAutomatically().user.id == user.id)
        try await next.checkStorage()
    }

    @Test("complaint 8: what could not be written is written as soon as the vault takes it")
    func laterWrite() async throws {
        world.vault.refusesRecords = true
        let client = world.launch()
        let user = try await client.logInAutomatically().user
        world.vault.refusesRecords = false
        try await client.reloadUser()
        #expect(await world.launch().currentUser?.id == user.id)
    }

    @Test("complaint 8: who was logged out by a log-in that is not remembered stays so, as soon as the vault takes it")
    func laterWriteOfLogOut() async throws {
        let password = "a long enough secret"
        _ = try await world.launch(vault: TestVault()).signUp(username: "kenji", password: password)
        let client = world.launch(inBackground: false)
        try await client.signUp(username: "hana", password: password)
        world.vault.refusesRecords = true
        try await client.logIn(identifier: "kenji", password: password, rememberMe: .untilQuit)
        world.vault.refusesRecords = false
        #expect(try await client.reloadUser().username == "kenji")
        #expect(await client.currentUser?.username == "kenji")
        let next = world.launch(inBackground: false)
        #expect(await next.reaches { $0 != .unknown } == .loggedOut(.registeredUserLoggedOut))
    }

    @Test("complaint 8: a log-out is saved where the vault takes a record in place of another, and no second one")
    func logOutWithoutRoom() async throws {
        let crowded = CrowdedVault()
        let client = world.launch(vault: crowded, inBackground: false)
        let hana = try await client.signUp(username: "hana", password: "a long enough secret")
        crowded.isFull.withValue { $0 = true }
        await client.logOut()
        // The app ends.
        let next = world.launch(vault: crowded, inBackground: false)
        #expect(await next.currentUser == nil)
        #expect(await next.automaticLogInBeginsAnew)
        #expect(try await next.logInAutomatically().user.id != hana.id)
    }

    @Test("complaint 8: no account is made when its key cannot be kept")
    func unwritableKey() async throws {
        world.vault.refusesKeys = true
        await #expect(throws: OkaeriError.storageUnavailable("refused by the test")) {
            try await world.launch().logInAutomatically()
        }
        #expect(world.server.users.isEmpty)
    }

    @Test("complaint 8: a person who is known is greeted while the storage gives no key, and logged in later")
    func knownWithoutKey() async throws {
        let user = try await world.launch(inBackground: false).logInAutomatically().user
        world.vault.refusesKeys = true
        let client = world.launch()
        #expect(try await client.logInAutomatically().user.id == user.id)
        #expect(world.logInCount == 1)
        world.vault.refusesKeys = false
        await world.clock.waitForSleepers()
        world.clock.advanceToNextSleeper()
        #expect(await client.becomesFresh()?.user?.id == user.id)
        #expect(world.logInCount == 2)
    }

    @Test("complaint 8: so is a person beside a guest's key, where the server wants a proof by it with each request")
    func knownBesideKey() async throws {
        world.server.proofRequired = true
        let before = world.launch(inBackground: false)
        try await before.logInAutomatically()
        let hana = try await before.logIn(with: .apple(.test(user: "hana"))).user
        world.vault.refusesKeys = true
        let client = world.launch(inBackground: false)
        #expect(try await client.logInAutomatically().user.id == hana.id)
        world.vault.refusesKeys = false
        #expect(try await client.reloadUser().id == hana.id)
    }

    @Test("complaint 8: a vault that cannot be read is not written to")
    func noOverwriting() async throws {
        let user = try await world.launch().logInAutomatically().user
        let before = try await world.vault.loadRecord(for: "demo")
        world.vault.isLocked = true
        let client = world.launch(inBackground: false)
        await #expect(throws: OkaeriError.storageLocked) { try await client.logInAutomatically() }
        world.vault.isLocked = false
        #expect(try await world.vault.loadRecord(for: "demo") == before)
        #expect(await client.currentUser?.id == user.id)
    }

    @Test("complaint 9: a vault that cannot be read is not logged out, and is read again when the phone is unlocked")
    func unlockHint() async throws {
        let user = try await world.launch().logInAutomatically().user
        world.vault.isLocked = true
        let client = world.launch()
        #expect(await client.reaches { $0 != .unknown } == .storageLocked)
        world.vault.isLocked = false
        world.vault.giveHint()
        let state = await client.reaches { $0 != .unknown && $0 != .storageLocked }
        #expect(state == .loggedIn(user, freshness: .offlineCopy))
    }

    @Test("complaint 9: a vault that cannot be read is read again after a while, even without a hint")
    func rereading() async throws {
        let user = try await world.launch().logInAutomatically().user
        world.vault.isLocked = true
        let client = world.launch()
        #expect(await client.reaches { $0 != .unknown } == .storageLocked)
        for _ in 0..<3 {
            await world.clock.waitForSleepers()
            world.clock.advanceToNextSleeper()
        }
        await world.clock.waitForSleepers()
        world.vault.isLocked = false
        world.clock.advanceToNextSleeper()
        let state = await client.reaches { $0 != .unknown && $0 != .storageLocked }
        #expect(state == .loggedIn(user, freshness: .offlineCopy))
    }

    @Test("complaint 9: a log-in that met a locked vault is made up for when the phone is unlocked")
    func logInAfterUnlock() async throws {
        let user = try await world.launch().logInAutomatically().user
        world.vault.isLocked = true
        let client = world.launch()
        await #expect(throws: OkaeriError.storageLocked) { try await client.logInAutomatically() }
        world.vault.isLocked = false
        world.vault.giveHint()
        #expect(await client.becomesFresh()?.user?.id == user.id)
        #expect(world.logInCount == 2)
    }

    @Test("complaint 9: a vault that locks later does not take the user away")
    func laterLock() async throws {
        let client = world.launch()
        let user = try await client.logInAutomatically().user
        world.vault.isLocked = true
        #expect(await client.currentUser?.id == user.id)
        #expect(try await client.reloadUser().id == user.id)
        // Who asks for a log-in is greeted, as without a network, and the log-in follows when the key can be used.
        guard case .returning(let known, _) = try await client.logInAutomatically() else {
            Issue.record("not .returning")
            return
        }
        #expect(known.id == user.id && world.logInCount == 1)
        world.vault.isLocked = false
        world.vault.giveHint()
        await world.server.waitForRequests(2, to: APIPath.logInAutomatically)
        #expect(await client.currentUser?.id == user.id)
    }

    @Test("complaint 11: an app extension sees the app's session, and hears of changes")
    func extensionSeesChanges() async throws {
        let folder = try TemporaryFolder()
        let app = world.launch(vault: FileVault(directory: folder.url))
        let widget = world.launch(vault: FileVault(directory: folder.url))
        #expect(await widget.reaches { $0 != .unknown } == .loggedOut(.firstLaunch))
        let user = try await app.logInAutomatically().user
        #expect(await widget.currentUser == user)
        #expect(try await widget.reloadUser().id == user.id)
        #expect(world.logInCount == 1)
        try await app.update(UserChanges(displayName: .set("花子")))
        #expect(await widget.reaches { $0.user?.displayName == "花子" } != nil)
        await app.logOut()
        #expect(await widget.reaches { $0.user == nil } == .loggedOut(.guestLoggedOut))
        withExtendedLifetime(folder) {}
    }
}

/// A vault that takes no further records while it is full, only others in the place of those that are there.
private struct CrowdedVault: CredentialVault {
    let isFull = Protected(false)
    private let base = MemoryVault()

    func deviceKey(for application: String) async throws(VaultError) -> any DeviceKey {
        try await base.deviceKey(for: application)
    }

    func loadRecord(for application: String) async throws(VaultError) -> Data? {
        try await base.loadRecord(for: application)
    }

    func saveRecord(_ record: Data, for application: String) async throws(VaultError) {
        let stored = try await base.loadRecord(for: application)
        if isFull.withValue({ $0 }), stored == nil { throw .unwritable("no room") }
        try await base.saveRecord(record, for: application)
    }

    func erase(_ application: String) async throws(VaultError) {
        try await base.erase(application)
    }

    func lock(_ purpose: VaultLockPurpose, for application: String) async throws(VaultError) -> VaultLock {
        try await base.lock(purpose, for: application)
    }
}
