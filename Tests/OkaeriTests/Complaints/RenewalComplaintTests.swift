import Foundation
import Okaeri
import OkaeriTesting
import OkaeriWire
import Testing

@Suite("Complaints about lost sessions")
struct RenewalComplaintTests {
    let world = World()

    @Test("complaint 7: after two years without a launch the person is still let in")
    func afterYears() async throws {
        let user = try await world.launch().logInAutomatically().user
        world.clock.advance(by: .seconds(2 * 365 * 86_400))
        world.server.endAllSessions()
        let client = world.launch()
        #expect(await client.currentUser?.id == user.id)
        #expect(try await client.update(UserChanges(displayName: .set("花子"))).id == user.id)
        #expect(await client.currentUser?.displayName == "花子")
    }

    @Test("complaint 12: two processes that find their session dead renew it once, and both go on")
    func twoProcessesRenew() async throws {
        let folder = try TemporaryFolder()
        let app = world.launch(vault: FileVault(directory: folder.url))
        let widget = world.launch(vault: FileVault(directory: folder.url))
        let user = try await app.logInAutomatically().user
        try await widget.reloadUser()
        world.server.endAllSessions()
        async let first = app.reloadUser()
        async let second = widget.reloadUser()
        #expect(try await [first.id, second.id] == [user.id, user.id])
        #expect(world.logInCount == 2)
        #expect(world.server.sessionCount == 1)
        withExtendedLifetime(folder) {}
    }

    @Test("complaint 12: two processes that launch at once log in once, and the second takes the first's session")
    func twoProcessesLaunch() async throws {
        let folder = try TemporaryFolder()
        let watched = TestVault(FileVault(directory: folder.url))
        let app = world.launch(vault: FileVault(directory: folder.url))
        let widget = world.launch(vault: watched)
        world.server.hold(path: APIPath.logInAutomatically)
        async let first = app.logInAutomatically()
        await world.server.waitForRequests(1, to: APIPath.logInAutomatically)
        async let second = widget.logInAutomatically()
        await watched.waitForLocks(.logIn, count: 1)
        world.server.release()
        let welcomes = try await [first, second]
        #expect(welcomes[0] == welcomes[1])
        #expect(world.logInCount == 1)
        #expect(world.server.users.count == 1)
        #expect(try await widget.sessions().count == 1)
        withExtendedLifetime(folder) {}
    }

    @Test("complaint 13: a log-in whose answer was lost is repeated under its name and makes one session")
    func lostAnswer() async throws {
        world.server.fail(.lostResponse, path: APIPath.logInAutomatically)
        let client = world.launch()
        async let welcome = client.logInAutomatically()
        await world.clock.waitForSleepers()
        world.clock.advanceToNextSleeper()
        guard case .firstVisit = try await welcome else {
            Issue.record("the first response was .firstVisit")
            return
        }
        let requests = world.server.requests(to: APIPath.logInAutomatically)
        #expect(requests.count == 2)
        #expect(Set(requests.map { $0.headers["Idempotency-Key"] }).count == 1)
        #expect(Set(requests.map { $0.headers["DPoP"] }).count == 2)
        #expect(world.server.sessionCount == 1)
        try await client.reloadUser()
    }

    @Test("complaint 13: a session that the server no longer knows is renewed without anybody's noticing")
    func silentRenewal() async throws {
        let client = world.launch()
        let user = try await client.logInAutomatically().user
        let watching = Task {
            var seen: [OkaeriState] = []
            for await state in client.states {
                seen.append(state)
                if state.user?.displayName == "花子" { return seen }
            }
            return seen
        }
        world.server.endAllSessions()
        try await client.update(UserChanges(displayName: .set("花子")))
        let seen = await watching.value
        #expect(seen.allSatisfy { $0 == .unknown || $0.user?.id == user.id })
        #expect(world.server.users.first?.displayName == "花子")
    }

    @Test("complaint 14: a cancelled caller does not lose the renewed session")
    func cancelledRenewal() async throws {
        let client = world.launch()
        try await client.logInAutomatically()
        world.server.endAllSessions()
        world.server.hold(path: APIPath.logInAutomatically)
        let caller = Task { try await client.reloadUser() }
        await world.server.waitForRequests(2, to: APIPath.logInAutomatically)
        caller.cancel()
        await #expect(throws: OkaeriError.cancelled) { try await caller.value }
        world.server.release()
        try await client.reloadUser()
        try await world.launch().reloadUser()
        #expect(world.logInCount == 2)
    }

    @Test("complaint 14: a cancelled first log-in goes on, and its user is there for the next call")
    func cancelledLogIn() async throws {
        let client = world.launch()
        world.server.hold()
        let caller = Task { try await client.logInAutomatically() }
        await world.server.waitForRequests(1)
        caller.cancel()
        await #expect(throws: OkaeriError.cancelled) { try await caller.value }
        world.server.release()
        #expect(await client.becomesFresh()?.user?.id == world.server.users.first?.id)
        #expect(world.logInCount == 1)
    }

    @Test("complaint 15: a log-in that failed in the background is tried again and again until it succeeds")
    func rearmedTimer() async throws {
        let user = try await world.launch().logInAutomatically().user
        world.server.isOffline = true
        let client = world.launch()
        try await client.logInAutomatically()
        for _ in 0..<20 {
            await world.clock.waitForSleepers()
            world.clock.advanceToNextSleeper()
        }
        await world.clock.waitForSleepers()
        #expect(world.clock.pendingSleeps.allSatisfy { $0 <= .seconds(300) && $0 >= .seconds(150) })
        world.server.isOffline = false
        world.clock.advanceToNextSleeper()
        #expect(await client.becomesFresh()?.user?.id == user.id)
        #expect(world.logInCount == 2)
    }
}
