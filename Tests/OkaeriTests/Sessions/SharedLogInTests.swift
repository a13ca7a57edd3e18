import Foundation
import OkaeriTesting
import OkaeriWire
import Testing

@testable import Okaeri

/// A vault whose locks hold nobody back, so that nothing but the client itself keeps callers from asking twice.
struct LocklessVault: CredentialVault {
    let base = MemoryVault()

    func deviceKey(for application: String) async throws(VaultError) -> any DeviceKey {
        try await base.deviceKey(for: application)
    }

    func loadRecord(for application: String) async throws(VaultError) -> Data? {
        try await base.loadRecord(for: application)
    }

    func saveRecord(_ record: Data, for application: String) async throws(VaultError) {
        try await base.saveRecord(record, for: application)
    }

    func erase(_ application: String) async throws(VaultError) {
        try await base.erase(application)
    }

    func lock(_ purpose: VaultLockPurpose, for application: String) async throws(VaultError) -> VaultLock {
        VaultLock {}
    }
}

@Suite("One log-in for many callers")
struct SharedLogInTests {
    let world = World()
    let callers = 20

    /// Waits until so many callers wait for a log-in, all of them for an answer that the server holds back.
    private func wait(for count: Int, at client: OkaeriClient) async {
        while await client.keeper.waitingCallers.count < count { await Task.yield() }
    }

    @Test("is one request: all who ask while it is under way get its answer")
    func logIn() async throws {
        let client = world.launch(vault: LocklessVault())
        world.server.hold()
        let welcomes = try await withThrowingTaskGroup(of: Welcome.self) { group in
            for _ in 0..<callers { group.addTask { try await client.logInAutomatically() } }
            await wait(for: callers, at: client)
            await world.server.waitForRequests(1)
            #expect(world.server.requests.count == 1)
            world.server.release()
            return try await group.reduce(into: Set<Welcome>()) { $0.insert($1) }
        }
        #expect(welcomes.count == 1)
        #expect(await client.keeper.machine.startedLogIns == 1)
        #expect(world.server.requests.count == 1)
        #expect(world.server.sessionCount == 1)
        #expect(await client.keeper.waitingCallers.isEmpty)
    }

    @Test("tells each process that a registered user's has ended whose key the server does not know: none is a guest")
    func endedInTwoProcesses() async throws {
        let before = world.launch(inBackground: false)
        let hana = try await before.signUp(username: "hana", password: "a long enough secret")
        world.server.erase(hana.id)
        let (app, widget) = (world.launch(inBackground: false), world.launch(inBackground: false))
        world.server.hold(path: APIPath.logInAutomatically)
        let first = Task { try await app.logInAutomatically() }
        await world.server.waitForRequests(1, to: APIPath.logInAutomatically)
        let second = Task { try await widget.logInAutomatically() }
        // The sign-up had the first. It has read who is logged in by then.
        await world.vault.waitForLocks(.logIn, count: 3)
        world.server.release()
        await #expect(throws: OkaeriError.sessionEnded) { try await first.value }
        await #expect(throws: OkaeriError.sessionEnded) { try await second.value }
        #expect(world.logInCount == 1)
        #expect(await app.currentUser == nil)
        #expect(await widget.reaches { $0 != .unknown } == .loggedOut(.ended))
    }

    @Test(
        "does not count when another that was asked for later came first",
        arguments: [RememberMe.automatic, .untilQuit, .never])
    func overtaken(rememberMe: RememberMe) async throws {
        let path = APIPath.logInWithPassword
        _ = try await world.launch(vault: TestVault()).signUp(username: "hana", password: "a long enough secret")
        let client = world.launch(vault: LocklessVault(), inBackground: false)
        world.server.hold(path: path)
        let early = Task {
            try await client.logIn(identifier: "hana", password: "a long enough secret", rememberMe: rememberMe)
        }
        await world.server.waitForRequests(1, to: path)
        let taro = try await client.logIn(with: .apple(.test(user: "taro"))).user
        world.server.release()
        await #expect(throws: OkaeriError.userChanged) { try await early.value }
        #expect(await client.currentUser?.id == taro.id)
        #expect(try await client.reloadUser().id == taro.id)
        #expect(await client.deliverPendingLogOuts())
        // His, and that of the device on which she signed up.
        #expect(world.server.sessionCount == 2)
    }

    @Test("is one request too when all of them find the session dead, and each call is repeated once")
    func renewal() async throws {
        let client = world.launch(vault: LocklessVault())
        let user = try await client.logInAutomatically().user
        world.server.endAllSessions()
        world.server.hold(path: APIPath.logInAutomatically)
        let users = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<callers { group.addTask { try await client.reloadUser().id } }
            await wait(for: callers, at: client)
            await world.server.waitForRequests(2, to: APIPath.logInAutomatically)
            #expect(world.logInCount == 2)
            world.server.release()
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(users == [user.id])
        #expect(await client.keeper.machine.startedLogIns == 2)
        #expect(world.logInCount == 2)
        #expect(world.server.requests(to: APIPath.user).count == 2 * callers)
        #expect(world.server.sessionCount == 1)
    }
}
