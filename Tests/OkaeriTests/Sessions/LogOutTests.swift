import Foundation
import Okaeri
import OkaeriTesting
import OkaeriWire
import Testing

@Suite("A log-out")
struct LogOutTests {
    let world = World()
    let password = "a long enough secret"

    @Test("of a registered user lasts: an automatic log-in makes a guest, also after a restart")
    func registered() async throws {
        let client = world.launch(inBackground: false)
        let hana = try await client.signUp(username: "hana", password: password)
        await client.logOut()
        #expect(await client.reaches { $0 != .unknown } == .loggedOut(.registeredUserLoggedOut))
        #expect(await client.automaticLogInBeginsAnew)
        let next = world.launch(inBackground: false)
        #expect(await next.reaches { $0 != .unknown } == .loggedOut(.registeredUserLoggedOut))
        guard case .firstVisit(let guest) = try await next.logInAutomatically() else {
            Issue.record("not .firstVisit")
            return
        }
        #expect(guest.isAnonymous && guest.id != hana.id)
        #expect(await !next.automaticLogInBeginsAnew)
        #expect(try await world.launch().logInAutomatically().user.id == guest.id)
    }

    @Test(
        "of a registered user lasts wherever the app ends during the log-in of somebody else",
        arguments: 0..<5, [true, false])
    func endOfApp(saves: Int, isByPasskey: Bool) async throws {
        let passkeys = TestPasskeys()
        world.server.passkeyDomain = "example.com"
        let elsewhere = world.launch(vault: TestVault(), inBackground: false)
        try await elsewhere.signUp(username: "taro", password: password)
        try await elsewhere.addPasskey(with: passkeys)
        let client = world.launch(inBackground: false)
        let hana = try await client.signUp(username: "hana", password: password)
        await client.logOut()
        #expect(await client.deliverPendingLogOuts())
        let ending = world.launch(vault: EndingVault(world.vault, saves: saves), inBackground: false)
        if isByPasskey {
            try await ending.logInWithPasskey(passkeys)
        } else {
            try await ending.logIn(with: .apple(.test(user: "taro")))
        }
        let next = world.launch(inBackground: false)
        #expect(try await next.logInAutomatically().user.id != hana.id)
    }

    @Test("of a registered user ends with the password, and automatic log-ins lead to that user again")
    func back() async throws {
        let client = world.launch(inBackground: false)
        let hana = try await client.signUp(username: "hana", password: password)
        for _ in 0..<3 {
            await client.logOut()
            #expect(try await client.logIn(identifier: "hana", password: password).user.id == hana.id)
            #expect(try await world.launch().logInAutomatically().user.id == hana.id)
        }
        // The same key each time.
        #expect(world.server.users.first { $0.id == hana.id }?.identities.count == 1)
        await client.logOut()
        let guest = try await client.logInAutomatically().user
        #expect(try await client.logIn(identifier: "hana", password: password).user.id == hana.id)
        #expect(try await world.launch().logInAutomatically().user.id == hana.id && guest.id != hana.id)
    }

    @Test("of a guest loses nothing: the next automatic log-in leads to the same guest")
    func guest() async throws {
        let client = world.launch(inBackground: false)
        let guest = try await client.logInAutomatically().user
        await client.logOut()
        #expect(await client.reaches { $0 != .unknown } == .loggedOut(.guestLoggedOut))
        #expect(await !client.automaticLogInBeginsAnew)
        #expect(try await world.launch().logInAutomatically().user.id == guest.id)
    }

    @Test("of a guest leaves the key with the guest: a log-in by password is one request, with another key")
    func passwordAfterGuest() async throws {
        let hana = try await world.launch(vault: TestVault()).signUp(username: "hana", password: password)
        let client = world.launch(inBackground: false)
        let guest = try await client.logInAutomatically().user
        await client.logOut()
        #expect(try await client.logIn(identifier: "hana", password: password).user.id == hana.id)
        #expect(world.server.requests(to: APIPath.logInWithPassword).count == 1)
        #expect(try await world.launch(inBackground: false).logInAutomatically().user.id == hana.id)
        #expect(world.server.users.first { $0.id == guest.id }?.identities.count == 1)
    }

    @Test("of a registered user is not undone by twenty automatic log-ins at once, which make one guest")
    func together() async throws {
        let client = world.launch(inBackground: false)
        let hana = try await client.signUp(username: "hana", password: password)
        await client.logOut()
        let clients = [client] + (0..<3).map { _ in world.launch(inBackground: false) }
        let users = try await withThrowingTaskGroup(of: User.self) { group in
            for number in 0..<20 {
                group.addTask { try await clients[number % clients.count].logInAutomatically().user }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1.id) }
        }
        #expect(users.count == 1 && !users.contains(hana.id))
        #expect(world.server.users.count == 2)
    }

    @Test("of one who was not remembered leaves the registered user of the device logged out")
    func temporary() async throws {
        _ = try await world.launch(vault: TestVault()).signUp(username: "kenji", password: password)
        let client = world.launch(inBackground: false)
        let hana = try await client.signUp(username: "hana", password: password)
        _ = try await client.logIn(identifier: "kenji", password: password, rememberMe: .untilQuit)
        await client.logOut()
        #expect(await client.reaches { $0 != .unknown } == .loggedOut(.registeredUserLoggedOut))
        #expect(try await world.launch().logInAutomatically().user.id != hana.id)
    }

    @Test(
        "that nobody asked for is not said to be the person's own, also of one who was not remembered",
        arguments: [OkaeriError.userDisabled, .sessionEnded], [RememberMe.untilQuit, .never])
    func endOfTemporary(error: OkaeriError, rememberMe: RememberMe) async throws {
        _ = try await world.launch(vault: TestVault()).signUp(username: "kenji", password: password)
        let client = world.launch(inBackground: false)
        _ = try await client.logIn(identifier: "kenji", password: password, rememberMe: rememberMe)
        if error == .userDisabled {
            let problem = Problem(title: "disabled", status: 403, code: .userDisabled)
            world.server.fail(.problem(problem), path: APIPath.user)
        } else {
            world.server.endAllSessions()
        }
        await #expect(throws: error) { try await client.reloadUser() }
        #expect(await client.reaches { $0 != .unknown } == .loggedOut(.ended))
        #expect(await world.launch(inBackground: false).reaches { $0 != .unknown } == .loggedOut(.ended))
    }

    @Test(
        "is followed by a new guest, also after a log-in of somebody else whose responses were lost",
        arguments: [true, false])
    func lostResponses(isRegistered: Bool) async throws {
        let kenji = try await world.launch(vault: TestVault()).signUp(username: "kenji", password: password)
        let client = world.launch(inBackground: false, retry: RetryPolicy(maximumTries: 1))
        let user = try await client.logInAutomatically().user
        world.server.fail(.lostResponse, path: APIPath.logInWithPassword)
        await #expect(throws: OkaeriError.offline) {
            try await client.logIn(identifier: "kenji", password: password)
        }
        #expect(try await client.logInAutomatically().user.id == user.id)
        if isRegistered {
            try await client.upgrade(username: "hana", password: password)
            await client.logOut()
        } else {
            await client.useNewDeviceKey()
        }
        guard case .firstVisit(let guest) = try await world.launch(inBackground: false).logInAutomatically() else {
            Issue.record("not .firstVisit")
            return
        }
        #expect(guest.isAnonymous && guest.id != user.id)
        #expect(try await client.logIn(identifier: "kenji", password: password).user.id == kenji.id)
    }

    @Test("in another process is not undone by a password whose response comes later", arguments: [false, true])
    func inAnotherProcess(isForgotten: Bool) async throws {
        let (password, path) = (password, APIPath.logInWithPassword)
        _ = try await world.launch(vault: TestVault()).signUp(username: "kenji", password: password)
        let (app, helper) = (world.launch(inBackground: false), world.launch(inBackground: false))
        try await app.logInAutomatically()
        world.server.hold(path: path)
        let late = Task { try await app.logIn(identifier: "kenji", password: password) }
        await world.server.waitForRequests(1, to: path)
        if isForgotten { try await helper.forgetDevice() } else { await helper.logOut() }
        world.server.release()
        await #expect(throws: OkaeriError.loggedOutMeanwhile) { try await late.value }
        #expect(await app.currentUser == nil)
        #expect(await world.launch(inBackground: false).currentUser == nil)
        #expect(await app.deliverPendingLogOuts())
        // That of the device on which he signed up, and the guest's, of which a device that was forgotten says no word.
        #expect(world.server.sessionCount == (isForgotten ? 2 : 1))
    }

    @Test("keeps a log-in from the server that was asked for before, and whose turn comes later")
    func beforeItsTurn() async throws {
        let (app, helper) = (world.launch(inBackground: false), world.launch(inBackground: false))
        world.server.hold(path: APIPath.logInAutomatically)
        let first = Task { try await helper.logInAutomatically() }
        await world.server.waitForRequests(1, to: APIPath.logInAutomatically)
        let waiting = Task { try await app.logIn(with: .apple(.test(user: "hana"))) }
        await world.vault.waitForLocks(.logIn, count: 2)
        await app.logOut()
        world.server.release()
        await #expect(throws: OkaeriError.loggedOutMeanwhile) { try await waiting.value }
        _ = await first.result
        #expect(world.server.requests(to: APIPath.logIn(with: "apple")).isEmpty)
        #expect(await world.launch(inBackground: false).currentUser == nil)
    }

    @Test("that needs a proof waits for a vault that gives no key")
    func withoutKey() async throws {
        world.server.proofRequired = true
        let client = world.launch(inBackground: false)
        try await client.logInAutomatically()
        try await client.reloadUser()
        world.server.isOffline = true
        await client.logOut()
        #expect(await !client.deliverPendingLogOuts())
        world.server.isOffline = false
        world.vault.refusesKeys = true
        #expect(await !client.deliverPendingLogOuts())
        world.vault.refusesKeys = false
        #expect(await client.deliverPendingLogOuts())
        #expect(world.server.sessionCount == 0)
    }

    @Test("that nobody asked for makes no guest in silence")
    func disabled() async throws {
        let client = world.launch(inBackground: false)
        let hana = try await client.signUp(username: "hana", password: password)
        world.server.disable(hana.id)
        await #expect(throws: OkaeriError.userDisabled) { try await client.reloadUser() }
        #expect(await client.reaches { $0 != .unknown } == .loggedOut(.ended))
        await #expect(throws: OkaeriError.userDisabled) { try await client.logInAutomatically() }
        #expect(world.server.users.count == 1)
    }
}

/// A vault that takes no more than so many changes, as that of an app that ends then.
private struct EndingVault: CredentialVault {
    private let base: TestVault
    private let left: Protected<Int>

    init(_ base: TestVault, saves: Int) {
        self.base = base
        left = Protected(saves)
    }

    func deviceKey(for application: String) async throws(VaultError) -> any DeviceKey {
        try await base.deviceKey(for: application)
    }

    func loadRecord(for application: String) async throws(VaultError) -> Data? {
        try await base.loadRecord(for: application)
    }

    func saveRecord(_ record: Data, for application: String) async throws(VaultError) {
        let isTaken = left.withValue { left in
            left -= 1
            return left >= 0
        }
        guard isTaken else { throw .unwritable("the app has ended") }
        try await base.saveRecord(record, for: application)
    }

    func erase(_ application: String) async throws(VaultError) {
        try await base.erase(application)
    }

    func lock(_ purpose: VaultLockPurpose, for application: String) async throws(VaultError) -> VaultLock {
        try await base.lock(purpose, for: application)
    }
}
