import Foundation
import Okaeri
import OkaeriTesting
import OkaeriWire
import Testing

@Suite("A passkey in an app")
struct PasskeyTests {
    private let world = World()
    private let passkeys = TestPasskeys()

    init() { world.server.passkeyDomain = "example.com" }

    @Test("makes a guest's account safe, and brings it back on another device")
    func guest() async throws {
        let okaeri = world.launch()
        let guest = try await okaeri.logInAutomatically().user
        let added = try await okaeri.addPasskey(named: "My phone", with: passkeys)
        #expect(added.name == "My phone" && added.lastUsedAt == nil && added.isBackedUp)
        let user = try #require(await okaeri.currentUser)
        #expect(user.id == guest.id && !user.isAnonymous)
        let tablet = world.launch(vault: TestVault())
        let stranger = try await tablet.logInAutomatically().user
        #expect(try await tablet.logInWithPasskey(passkeys).user.id == guest.id)
        world.server.endAllSessions()
        // The tablet's new key joined the user; the guest of before keeps the old one.
        #expect(try await tablet.reloadUser().id == guest.id && stranger.id != guest.id)
        #expect(try await okaeri.passkeys().first?.lastUsedAt != nil)
    }

    @Test("binds the session to the device's key, also where every request needs a proof")
    func bound() async throws {
        let okaeri = world.launch()
        try await okaeri.logInAutomatically()
        try await okaeri.addPasskey(with: passkeys)
        world.server.proofRequired = true
        let tablet = world.launch(vault: TestVault())
        try await tablet.logInWithPasskey(passkeys)
        #expect(try await tablet.reloadUser().identities.count { $0.provider == "device" } == 2)
        #expect(world.server.requests(to: APIPath.logInWithPasskey).last?.headers[HeaderName.proof] != nil)
    }

    @Test("of somebody else gets a key of its own where a registered user, who has logged out, has the device's key")
    func somebodyElse() async throws {
        let owner = world.launch(vault: TestVault(), inBackground: false)
        let kenji = try await owner.logInAutomatically().user
        try await owner.addPasskey(with: passkeys)
        let okaeri = world.launch(inBackground: false)
        let hana = try await okaeri.signUp(username: "hana", password: "a long enough secret")
        await okaeri.logOut()
        #expect(try await okaeri.logInWithPasskey(passkeys).user.id == kenji.id)
        world.server.endAllSessions()
        #expect(try await okaeri.reloadUser().id == kenji.id)
        #expect(world.server.users.first { $0.id == hana.id }?.identities.count { $0.provider == "device" } == 1)
    }

    @Test("of a registered user who has logged out brings the device's key back into use, and makes no other")
    func comeback() async throws {
        let okaeri = world.launch(inBackground: false)
        let guest = try await okaeri.logInAutomatically().user
        try await okaeri.addPasskey(with: passkeys)
        await okaeri.logOut()
        #expect(try await okaeri.logInWithPasskey(passkeys).user.id == guest.id)
        world.server.endAllSessions()
        let user = try await okaeri.reloadUser()
        #expect(user.id == guest.id && user.identities.count { $0.provider == "device" } == 1)
    }

    @Test("is listed, renamed and removed, after which the device forgets it")
    func managed() async throws {
        let okaeri = world.launch()
        try await okaeri.logInAutomatically()
        let added = try await okaeri.addPasskey(with: passkeys)
        #expect(try await okaeri.passkeys() == [added])
        #expect(try await okaeri.renamePasskey(added.id, to: "鍵").name == "鍵")
        let credential = try #require(passkeys.credentials.first)
        try await okaeri.removePasskey(added.id, from: passkeys)
        #expect(try await okaeri.passkeys().isEmpty)
        #expect(passkeys.forgotten == [credential] && passkeys.credentials.isEmpty)
        await #expect(throws: OkaeriError.passkeyRefused(.unknown)) { try await okaeri.removePasskey(added.id) }
        await #expect(throws: OkaeriError.passkeyRefused(.unknown)) { try await okaeri.renamePasskey("", to: "x") }
    }

    @Test("shows again that the owner is there")
    func reauthentication() async throws {
        let okaeri = world.launch()
        try await okaeri.logInAutomatically()
        let added = try await okaeri.addPasskey(with: passkeys)
        world.clock.advance(by: .seconds(700))
        await #expect(throws: OkaeriError.reauthenticationRequired) { try await okaeri.removePasskey(added.id) }
        try await okaeri.reauthenticate(with: try await okaeri.passkeyProof(from: passkeys))
        try await okaeri.removePasskey(added.id)
    }

    @Test("of another account leads a guest to the choice between the two")
    func merge() async throws {
        let owner = world.launch()
        let id = try await owner.logInAutomatically().user.id
        try await owner.addPasskey(with: passkeys)
        #expect(try await owner.mergeConflict(by: try await owner.passkeyProof(from: passkeys)) == nil)
        let guest = world.launch(vault: TestVault())
        try await guest.logInAutomatically()
        let found = try await guest.mergeConflict(by: try await guest.passkeyProof(from: passkeys))
        #expect(try await guest.resolve(try #require(found), by: .merge).user.id == id)
    }

    @Test("is offered above the keyboard, with a new challenge before the old one ends")
    func autoFill() async throws {
        let okaeri = world.launch()
        let id = try await okaeri.logInAutomatically().user.id
        try await okaeri.addPasskey(with: passkeys)
        let tablet = world.launch(vault: TestVault(), inBackground: false)
        let logIn = Task { try await tablet.logInWithPasskey(passkeys, presentation: .autoFill) }
        await passkeys.waitForAutoFill(1)
        await world.clock.waitForSleepers()
        world.clock.advance(by: .seconds(285))
        await passkeys.waitForAutoFill(2)
        passkeys.chooseAutoFill()
        #expect(try await logIn.value.user.id == id)
        #expect(world.server.requests(to: APIPath.requestPasskeyLogIn).count == 2)
    }

    @Test("that is no longer waited for is not offered any more")
    func autoFillCancelled() async throws {
        let okaeri = world.launch()
        let logIn = Task { try await okaeri.logInWithPasskey(passkeys, presentation: .autoFill) }
        await passkeys.waitForAutoFill()
        logIn.cancel()
        await #expect(throws: OkaeriError.cancelled) { try await logIn.value }
    }

    @Test("brings a user back who asked to be deleted, by the same touch")
    func restored() async throws {
        let okaeri = world.launch()
        let id = try await okaeri.logInAutomatically().user.id
        try await okaeri.addPasskey(with: passkeys)
        _ = try await okaeri.deleteUser()
        let proof = try await okaeri.passkeyProof(from: passkeys)
        await #expect(throws: OkaeriError.self) { try await okaeri.logIn(with: proof) }
        #expect(try await okaeri.logIn(with: proof, restoring: true).user.id == id)
    }
}
