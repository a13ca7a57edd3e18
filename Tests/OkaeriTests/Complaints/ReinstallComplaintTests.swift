import Foundation
import OkaeriTesting
import Testing

@testable import Okaeri

/// Secrets that outlive the app, as the Keychain's do.
final class MemoryItems: SecureItems {
    let items = Protected<[String: Data]>([:])
    let isLocked = Protected(false)
    let refusesRemoval = Protected(false)
    /// Why nothing can be read.
    let failure = Protected<VaultError?>(nil)
    /// How many items can still be removed, as when the app ends on the way.
    let removalsLeft = Protected(Int.max)

    func read(_ name: String) throws(VaultError) -> Data? {
        if isLocked.withValue({ $0 }) { throw .unreadableNow("locked by the test") }
        if let failure = failure.withValue({ $0 }) { throw failure }
        return items.withValue { $0[name] }
    }

    func add(_ name: String, _ data: Data) throws(VaultError) -> Bool {
        items.withValue { items in
            guard items[name] == nil else { return false }
            items[name] = data
            return true
        }
    }

    func replace(_ name: String, _ data: Data) throws(VaultError) {
        items.withValue { $0[name] = data }
    }

    func remove(_ name: String) throws(VaultError) {
        if isLocked.withValue({ $0 }) { throw .unwritable("locked by the test") }
        if refusesRemoval.withValue({ $0 }) { throw .unwritable("refused by the test") }
        let isOver = removalsLeft.withValue { left in
            left -= 1
            return left < 0
        }
        if isOver { throw .unwritable("ended by the test") }
        items.withValue { $0[name] = nil }
    }
}

/// Keys as simulators have them.
struct SoftwareKeys: DeviceKeyMaker {
    func make() throws(VaultError) -> (key: any DeviceKey, stored: Data) {
        let key = SoftwareDeviceKey()
        return (key, key.rawRepresentation)
    }

    func restore(_ stored: Data) throws(VaultError) -> any DeviceKey {
        try SoftwareDeviceKey(rawRepresentation: stored)
    }
}

@Suite("Complaints about re-installation")
struct ReinstallComplaintTests {
    let world = World()
    let keychain = MemoryItems()

    private func vault(
        _ installation: TemporaryFolder, before: TemporaryFolder? = nil, _ policy: ReinstallPolicy
    ) -> ItemVault {
        ItemVault(
            items: keychain, keys: SoftwareKeys(), directory: installation.url, formerDirectory: before?.url,
            reinstall: policy)
    }

    @Test("complaint 10: with the policy 'keep' a re-installed app knows its user")
    func keep() async throws {
        let first = try TemporaryFolder()
        let user = try await world.launch(vault: vault(first, .keep)).logInAutomatically().user
        let second = try TemporaryFolder()
        let client = world.launch(vault: vault(second, .keep))
        #expect(await client.currentUser?.id == user.id)
        #expect(try await client.logInAutomatically().user.id == user.id)
        withExtendedLifetime((first, second)) {}
    }

    @Test(
        "complaint 10: an app that shares its Keychain items from an update on knows its user, and its extension too",
        arguments: [false, true])
    func sharedFromNowOn(isRegistered: Bool) async throws {
        let (folder, group) = (try TemporaryFolder(), MemoryItems())
        let old = world.launch(vault: vault(folder, .keep), inBackground: false)
        var user = try await old.logInAutomatically().user
        // Another key than the first is in use then.
        if isRegistered { user = try await old.signUp(username: "hana", password: "a long enough secret") }
        func updated() -> OkaeriClient {
            let vault = ItemVault(
                items: group, formerItems: keychain, keys: SoftwareKeys(), directory: folder.url, reinstall: .keep)
            return world.launch(vault: vault, inBackground: false)
        }
        #expect(await updated().currentUser?.id == user.id)
        let ofExtension = ItemVault(items: group, keys: SoftwareKeys(), directory: folder.url, reinstall: .keep)
        let app = world.launch(vault: ofExtension, inBackground: false)
        #expect(try await app.logInAutomatically().user.id == user.id)
        #expect(try await updated().logInAutomatically().user.id == user.id)
        // What is forgotten does not come back from where it was before.
        try await updated().forgetDevice()
        #expect(keychain.items.withValue { $0 }.isEmpty)
        #expect(group.items.withValue { $0.keys.allSatisfy { $0.hasSuffix(".shared") } })
        guard case .firstVisit = try await updated().logInAutomatically() else {
            Issue.record("not .firstVisit")
            return
        }
        withExtendedLifetime(folder) {}
    }

    @Test("complaint 10: what an extension forgets does not come back from where the app kept it before")
    func forgottenByExtension() async throws {
        let (folder, group) = (try TemporaryFolder(), MemoryItems())
        let old = world.launch(vault: vault(folder, .keep), inBackground: false)
        try await old.signUp(username: "hana", password: "a long enough secret")
        func updated() -> OkaeriClient {
            let vault = ItemVault(
                items: group, formerItems: keychain, keys: SoftwareKeys(), directory: folder.url, reinstall: .keep)
            return world.launch(vault: vault, inBackground: false)
        }
        #expect(await updated().currentUser?.username == "hana")
        let ofExtension = ItemVault(items: group, keys: SoftwareKeys(), directory: folder.url, reinstall: .keep)
        try await world.launch(vault: ofExtension, inBackground: false).forgetDevice()
        #expect(await updated().currentUser == nil)
        guard case .firstVisit = try await updated().logInAutomatically() else {
            Issue.record("not .firstVisit")
            return
        }
        withExtendedLifetime(folder) {}
    }

    @Test("complaint 10: an extension that waits for the app begins with nobody before the app has shared its items")
    func waiting() async throws {
        let (folder, group) = (try TemporaryFolder(), MemoryItems())
        let old = world.launch(vault: vault(folder, .keep), inBackground: false)
        try await old.logInAutomatically()
        // Another key than the first is in use then.
        let hana = try await old.signUp(username: "hana", password: "a long enough secret")
        let ofExtension = ItemVault(
            items: group, keys: SoftwareKeys(), directory: folder.url, reinstall: .keep, waitsForApp: true)
        let widget = world.launch(vault: ofExtension, inBackground: false)
        await #expect(throws: OkaeriError.storageLocked) { try await widget.logInAutomatically() }
        #expect(await widget.reaches { $0 != .unknown } == .storageLocked)
        #expect(group.items.withValue { $0 }.isEmpty)
        let updated = ItemVault(
            items: group, formerItems: keychain, keys: SoftwareKeys(), directory: folder.url, reinstall: .keep)
        #expect(await world.launch(vault: updated, inBackground: false).currentUser?.id == hana.id)
        let next = world.launch(
            vault: ItemVault(
                items: group, keys: SoftwareKeys(), directory: folder.url, reinstall: .keep, waitsForApp: true),
            inBackground: false)
        #expect(try await next.logInAutomatically().user.id == hana.id)
        // Once there is one, it makes further keys.
        await next.logOut()
        guard case .firstVisit = try await next.logInAutomatically() else {
            Issue.record("not .firstVisit")
            return
        }
        withExtendedLifetime(folder) {}
    }

    @Test("complaint 10: a device that was forgotten by halves opens no account that was closed", arguments: 0..<8)
    func forgottenByHalves(removals: Int) async throws {
        let folder = try TemporaryFolder()
        let client = world.launch(vault: vault(folder, .keep), inBackground: false)
        let hana = try await client.signUp(username: "hana", password: "a long enough secret")
        await client.logOut()
        keychain.removalsLeft.withValue { $0 = removals }
        // What is left then is what is looked at.
        _ = try? await client.forgetDevice()
        keychain.removalsLeft.withValue { $0 = .max }
        let next = world.launch(vault: vault(folder, .keep), inBackground: false)
        #expect(try await next.logInAutomatically().user.id != hana.id)
        try await next.forgetDevice()
        #expect(keychain.items.withValue { $0 }.isEmpty)
        withExtendedLifetime(folder) {}
    }

    @Test("complaint 10: an extension that waits for the app begins with nobody after it has wiped a log-in either")
    func waitingAfterWipe() async throws {
        let (first, second) = (try TemporaryFolder(), try TemporaryFolder())
        try await world.launch(vault: vault(first, .wipe), inBackground: false).logInAutomatically()
        let waiting = ItemVault(
            items: keychain, keys: SoftwareKeys(), directory: second.url, reinstall: .wipe, waitsForApp: true)
        let widget = world.launch(vault: waiting, inBackground: false)
        await #expect(throws: OkaeriError.storageLocked) { try await widget.logInAutomatically() }
        #expect(keychain.items.withValue { $0 }.isEmpty && world.server.users.count == 1)
        let app = world.launch(vault: vault(second, .wipe), inBackground: false)
        #expect(try await app.isFirstLaunch)
        let user = try await app.logInAutomatically().user
        #expect(try await widget.logInAutomatically().user.id == user.id)
        #expect(world.server.users.count == 2)
        withExtendedLifetime((first, second)) {}
    }

    @Test("complaint 10: an extension that has the app's Keychain and not its folder wipes nothing")
    func withoutAppGroup() async throws {
        let (own, other) = (try TemporaryFolder(), try TemporaryFolder())
        let user = try await world.launch(vault: vault(own, .wipe)).logInAutomatically().user
        let (policy, fault) = ReinstallPolicy.wipe.safe(sharesItems: true, sharesFolder: false)
        #expect(fault?.contains("applicationGroup") == true)
        #expect(await world.launch(vault: vault(other, policy)).currentUser?.id == user.id)
        #expect(try await world.launch(vault: vault(own, .wipe)).logInAutomatically().user.id == user.id)
        withExtendedLifetime((own, other)) {}
    }

    @Test("complaint 10: all other policies count as they are given")
    func policiesThatCount() {
        let ask = ReinstallPolicy.ask { _ in .wipe }
        let counting: [(ReinstallPolicy, Bool, Bool)] = [
            (.wipe, false, false), (.wipe, true, true), (.wipe, false, true), (ask, false, false), (ask, true, true),
        ]
        for (policy, sharesItems, sharesFolder) in counting {
            let safe = policy.safe(sharesItems: sharesItems, sharesFolder: sharesFolder)
            #expect(safe.fault == nil)
            if case .keep = safe.policy { Issue.record("\(policy)") }
        }
        #expect(ask.safe(sharesItems: true, sharesFolder: false).fault != nil)
        #expect(ReinstallPolicy.keep.safe(sharesItems: true, sharesFolder: false).fault == nil)
    }

    @Test("complaint 10: with the policy 'wipe' a re-installed app begins anew, and an updated one does not")
    func wipe() async throws {
        let first = try TemporaryFolder()
        let user = try await world.launch(vault: vault(first, .wipe)).logInAutomatically().user
        #expect(try await world.launch(vault: vault(first, .wipe)).logInAutomatically().user.id == user.id)
        let second = try TemporaryFolder()
        let client = world.launch(vault: vault(second, .wipe))
        #expect(await client.currentUser == nil)
        guard case .firstVisit = try await client.logInAutomatically() else {
            Issue.record("not .firstVisit")
            return
        }
        withExtendedLifetime((first, second)) {}
    }

    @Test("complaint 10: an update that shares its folder with extensions for the first time is no re-installation")
    func newFolder() async throws {
        let (own, shared) = (try TemporaryFolder(), try TemporaryFolder())
        let app = world.launch(vault: vault(own, .wipe), inBackground: false)
        try await app.logInAutomatically()
        // A user with the second key of the device.
        let hana = try await app.signUp(username: "hana", password: "four quiet words")
        let updated = world.launch(vault: vault(shared, before: own, .wipe), inBackground: false)
        #expect(await updated.currentUser?.id == hana.id)
        // An extension does not see the app's own folder.
        let widget = world.launch(vault: vault(shared, .wipe), inBackground: false)
        world.server.endAllSessions()
        #expect(try await widget.reloadUser().id == hana.id)
        withExtendedLifetime((own, shared)) {}
    }

    @Test("complaint 10: what cannot be wiped yet is not used")
    func wipeWhileLocked() async throws {
        let first = try TemporaryFolder()
        try await world.launch(vault: vault(first, .wipe)).logInAutomatically()
        let second = try TemporaryFolder()
        keychain.isLocked.withValue { $0 = true }
        let client = world.launch(vault: vault(second, .wipe), inBackground: false)
        await #expect(throws: OkaeriError.storageUnavailable("locked by the test")) {
            try await client.logInAutomatically()
        }
        keychain.isLocked.withValue { $0 = false }
        #expect(await client.currentUser == nil)
        withExtendedLifetime((first, second)) {}
    }

    @Test("complaint 10: processes that make the key at once get the same key")
    func oneKey() async throws {
        let folder = try TemporaryFolder()
        let vault = vault(folder, .keep)
        let names = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await vault.deviceKey(for: "demo").publicKey.thumbprint } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(names.count == 1)
        withExtendedLifetime(folder) {}
    }

    @Test("complaint 11: other processes hear of a change in the Keychain")
    func hints() async throws {
        let folder = try TemporaryFolder()
        let app = world.launch(vault: vault(folder, .keep))
        let widget = world.launch(vault: vault(folder, .keep))
        #expect(await widget.reaches { $0 != .unknown } == .loggedOut(.firstLaunch))
        let user = try await app.logInAutomatically().user
        #expect(await widget.reaches { $0.user != nil }?.user == user)
        try await app.forgetDevice()
        #expect(await widget.reaches { $0.user == nil } == .loggedOut(.firstLaunch))
        withExtendedLifetime(folder) {}
    }
}
