import Foundation
import Okaeri
import OkaeriTesting
import OkaeriWire
import Testing

@Suite("Complaints about networks and log-outs")
struct ConnectionComplaintTests {
    let world = World()

    @Test("complaint 16: an answer that comes after the log-out changes nothing")
    func lateUpdate() async throws {
        let client = world.launch()
        try await client.logInAutomatically()
        world.server.hold(path: APIPath.user)
        let late = Task { try await client.update(UserChanges(displayName: .set("花子"))) }
        await world.server.waitForRequests(1, to: APIPath.user)
        await client.logOut()
        world.server.release()
        await #expect(throws: OkaeriError.loggedOutMeanwhile) { try await late.value }
        #expect(await client.currentUser == nil)
        #expect(await world.launch().currentUser == nil)
    }

    @Test("complaint 16: a log-in that is answered after the log-out does not count, and its session is ended")
    func lateLogIn() async throws {
        let client = world.launch()
        world.server.hold(path: APIPath.logInAutomatically)
        let late = Task { try await client.logInAutomatically() }
        await world.server.waitForRequests(1, to: APIPath.logInAutomatically)
        await client.logOut()
        world.server.release()
        await #expect(throws: OkaeriError.loggedOutMeanwhile) { try await late.value }
        #expect(await client.currentUser == nil)
        #expect(await client.deliverPendingLogOuts())
        #expect(world.server.sessionCount == 0)
    }

    @Test("complaint 16: an answer about an earlier user does not touch the next user")
    func nextUser() async throws {
        let client = world.launch()
        let first = try await client.logInAutomatically().user
        world.server.hold(path: APIPath.user)
        let late = Task { try await client.reloadUser() }
        await world.server.waitForRequests(1, to: APIPath.user)
        await client.logOut()
        world.server.erase(first.id)
        let second = try await client.logInAutomatically().user
        world.server.release()
        await #expect(throws: OkaeriError.userChanged) { try await late.value }
        #expect(await client.currentUser == second)
        #expect(first.id != second.id)
    }

    @Test("complaint 16: an older answer that comes last does not overwrite a newer one")
    func olderAnswer() async throws {
        let client = world.launch()
        try await client.logInAutomatically()
        world.server.hold(path: APIPath.user)
        let older = Task { try await client.reloadUser() }
        await world.server.waitForRequests(1, to: APIPath.user)
        world.clock.advance(by: .seconds(1))
        world.server.hold(path: "nothing more")
        try await client.update(UserChanges(displayName: .set("花子")))
        world.server.release()
        _ = try await older.value
        #expect(await client.currentUser?.displayName == "花子")
    }

    @Test("complaint 16: a log-in whose response comes after that to a change takes nothing back")
    func olderLogIn() async throws {
        try await world.launch(inBackground: false).logInAutomatically()
        world.clock.advance(by: .seconds(3600))
        let client = world.launch(inBackground: false)
        world.server.hold(path: APIPath.logInAutomatically)
        let older = Task { try await client.logInAutomatically() }
        // The server has answered it, and its response is on the way.
        while world.server.sessionCount < 2 { await Task.yield() }
        world.clock.advance(by: .seconds(1))
        try await client.update(UserChanges(displayName: .set("花子")))
        world.server.release()
        let welcome = try await older.value
        #expect(welcome.user.displayName == "花子")
        #expect(welcome.user.lastLogInAt == world.clock.now.addingTimeInterval(-1))
        #expect(welcome.user.previousLogInAt == world.clock.now.addingTimeInterval(-3601))
        #expect(await client.currentUser == welcome.user)
    }

    @Test("complaint 17: a start without network greets the user from the copy and says so")
    func offlineStart() async throws {
        let user = try await world.launch().logInAutomatically().user
        let lastLogIn = world.clock.now
        world.clock.advance(by: .seconds(3600))
        world.server.isOffline = true
        let client = world.launch()
        #expect(try await client.logInAutomatically() == .returning(user, lastLogIn: lastLogIn))
        #expect(await client.currentUser == user)
        #expect(await client.reaches { $0 != .unknown } == .loggedIn(user, freshness: .offlineCopy))
        await #expect(throws: OkaeriError.offline) { try await client.reloadUser() }
        #expect(await client.currentUser == user)
    }

    @Test("complaint 17: a first start without network says that there is no network")
    func offlineFirstStart() async throws {
        world.server.isOffline = true
        let client = world.launch()
        await #expect(throws: OkaeriError.offline) { try await client.logInAutomatically() }
        world.server.isOffline = false
        guard case .firstVisit = try await client.logInAutomatically() else {
            Issue.record("not .firstVisit")
            return
        }
    }

    @Test(
        "complaint 17: a server in trouble does not delay the greeting of a known user",
        arguments: [408, 429, 500, 502, 503, 504, 521, 530])
    func serverInTrouble(status: Int) async throws {
        let user = try await world.launch().logInAutomatically().user
        let codes: [Int: ErrorCode] = [429: .rateLimited, 500: .internalError, 503: .storageUnavailable]
        if let code = codes[status] {
            world.server.fail(.problem(Problem(title: "trouble", status: status, code: code), retryAfter: 60))
        } else {
            world.server.fail(.response(TransportResponse(status: status)))
        }
        let client = world.launch(inBackground: false)
        #expect(try await client.logInAutomatically().user == user)
        #expect(world.logInCount == 2)
    }

    @Test(
        "complaint 17: a network that shows its own page does not keep a known user from being greeted",
        arguments: [200, 302, 403, 511])
    func pageOfNetwork(status: Int) async throws {
        let user = try await world.launch().logInAutomatically().user
        world.server.fail(.response(TransportResponse(status: status, body: Data(" <html>".utf8))))
        let client = world.launch()
        #expect(try await client.logInAutomatically().user == user)
        await world.clock.waitForSleepers()
        world.clock.advanceToNextSleeper()
        #expect(await client.becomesFresh()?.user?.id == user.id)
    }

    @Test("complaint 18: a log-out without network succeeds, and the server learns of it after a restart")
    func offlineLogOut() async throws {
        let client = world.launch(inBackground: false)
        try await client.logInAutomatically()
        world.server.isOffline = true
        await client.logOut()
        #expect(await client.currentUser == nil)
        #expect(await client.reaches { $0 != .unknown } == .loggedOut(.guestLoggedOut))
        #expect(world.server.sessionCount == 1)
        let next = world.launch(inBackground: false)
        #expect(await next.currentUser == nil)
        #expect(await !next.deliverPendingLogOuts())
        world.server.isOffline = false
        #expect(await next.deliverPendingLogOuts())
        #expect(world.server.sessionCount == 0)
        #expect(await next.deliverPendingLogOuts())
        #expect(world.server.requests(to: APIPath.logOut).count == 1)
    }

    @Test("complaint 18: a program that is about to end can wait for the delivery of its log-out")
    func awaitedLogOut() async throws {
        let client = world.launch(inBackground: false)
        try await client.logInAutomatically()
        world.server.hold(path: APIPath.logOut)
        await client.logOut()
        await world.server.waitForRequests(1, to: APIPath.logOut)
        async let isDelivered = client.deliverPendingLogOuts()
        world.server.release()
        #expect(await isDelivered)
        #expect(world.server.sessionCount == 0)
        #expect(world.server.requests(to: APIPath.logOut).count == 1)
    }

    @Test(
        "complaint 18: a log-out is repeated when a proxy or a network's page answers for the server",
        arguments: [200, 302, 403, 500, 511, 521])
    func logOutBehindProxy(status: Int) async throws {
        let client = world.launch(inBackground: false)
        try await client.logInAutomatically()
        world.server.fail(
            .response(TransportResponse(status: status, body: Data("<html>".utf8))), path: APIPath.logOut)
        await client.logOut()
        await world.server.waitForRequests(1, to: APIPath.logOut)
        // The first may be the one that the proxy answers.
        await client.deliverPendingLogOuts()
        #expect(await client.deliverPendingLogOuts())
        #expect(world.server.sessionCount == 0)
    }

    @Test("complaint 18: a log-out with a dead session succeeds and is not repeated")
    func deadLogOut() async throws {
        let client = world.launch(inBackground: false)
        try await client.logInAutomatically()
        world.server.endAllSessions()
        await client.logOut()
        #expect(await client.currentUser == nil)
        await world.server.waitForRequests(1, to: APIPath.logOut)
        #expect(await world.launch(inBackground: false).deliverPendingLogOuts())
    }

    @Test("complaint 18: a log-out with a vault that takes no changes succeeds, and is stored when it does")
    func unwritableLogOut() async throws {
        let client = world.launch(inBackground: false)
        try await client.logInAutomatically()
        world.vault.refusesRecords = true
        await client.logOut()
        #expect(await client.currentUser == nil)
        world.vault.refusesRecords = false
        #expect(await client.currentUser == nil)
        #expect(await world.launch().currentUser == nil)
    }

    @Test("complaint 18: a log-out while the vault is locked is carried out when it can be read")
    func lockedLogOut() async throws {
        try await world.launch().logInAutomatically()
        world.vault.isLocked = true
        let client = world.launch(inBackground: false)
        await client.logOut()
        #expect(await client.currentUser == nil)
        world.vault.isLocked = false
        #expect(await client.currentUser == nil)
        #expect(await client.deliverPendingLogOuts())
        #expect(world.server.sessionCount == 0)
        #expect(await world.launch().currentUser == nil)
    }

    @Test("complaint 18: after a log-out nothing is renewed silently, and a wanted log-in leads to the same user")
    func noSilentRenewal() async throws {
        let client = world.launch(inBackground: false)
        let user = try await client.logInAutomatically().user
        await client.logOut()
        await #expect(throws: OkaeriError.notLoggedIn) { try await client.reloadUser() }
        await #expect(throws: OkaeriError.notLoggedIn) { try await world.launch().sessions() }
        await #expect(throws: OkaeriError.notLoggedIn) { try await client.accessToken() }
        #expect(world.logInCount == 1)
        #expect(try await client.logInAutomatically().user.id == user.id)
    }
}
