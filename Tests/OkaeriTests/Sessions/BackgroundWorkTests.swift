import OkaeriTesting
import OkaeriWire
import Testing

@testable import Okaeri

@Suite("Work in the background", .timeLimit(.minutes(5)))
struct BackgroundWorkTests {
    let world = World()

    @Test("that a hint finishes before its time leaves nothing behind that wakes beside later work")
    func hint() async throws {
        try await world.launch(inBackground: false).logInAutomatically()
        world.vault.isLocked = true
        let client = world.launch()
        #expect(await client.reaches { $0 != .unknown } == .storageLocked)
        await world.clock.waitForSleepers()
        world.vault.isLocked = false
        world.vault.giveHint()
        while await client.keeper.recovery != nil { await Task.yield() }
        #expect(world.clock.pendingSleeps.isEmpty)
    }

    @Test("saves a log-out soon also while it waits as long as the server asked for")
    func vaultBesidePatience() async throws {
        try await world.launch(inBackground: false).logInAutomatically()
        world.server.fail(
            .problem(Problem(title: "wait", status: 503, code: .storageUnavailable), retryAfter: .max))
        let client = world.launch()
        try await client.logInAutomatically()
        await world.clock.waitForSleepers()
        #expect(world.clock.pendingSleeps.allSatisfy { $0 > .seconds(86_000) })
        world.vault.refusesRecords = true
        await client.logOut()
        #expect(world.clock.pendingSleeps.allSatisfy { $0 <= .seconds(1) })
        await world.clock.waitForSleepers()
        world.vault.refusesRecords = false
        world.clock.advance(by: .seconds(1))
        while await !client.keeper.unsaved.isEmpty { await Task.yield() }
        #expect(await world.launch(inBackground: false).reaches { $0 != .unknown } == .loggedOut(.guestLoggedOut))
    }

    @Test("tells the server of a log-out of before at the next launch, also when nobody logs in")
    func logOutOfBefore() async throws {
        let client = world.launch(inBackground: false)
        try await client.logInAutomatically()
        world.server.isOffline = true
        await client.logOut()
        #expect(await !client.deliverPendingLogOuts())
        let next = world.launch()
        #expect(await next.currentUser == nil)
        try #require(await next.keeper.recovery != nil)
        await world.clock.waitForSleepers()
        world.server.isOffline = false
        world.clock.advanceToNextSleeper()
        while await next.keeper.recovery != nil { await Task.yield() }
        #expect(world.server.sessionCount == 0)
        #expect(await next.keeper.record?.pendingRevocations == [])
    }

    @Test("repeats no log-in after a log-out in another process")
    func logOutElsewhere() async throws {
        try await world.launch(inBackground: false).logInAutomatically()
        let helper = world.launch()
        world.server.fail(.unreachable, path: APIPath.logInAutomatically)
        try await helper.logInAutomatically()
        await world.clock.waitForSleepers()
        let app = world.launch(inBackground: false)
        await app.logOut()
        #expect(await app.deliverPendingLogOuts())
        world.clock.advanceToNextSleeper()
        while await helper.keeper.recovery != nil { await Task.yield() }
        #expect(await app.currentUser == nil && world.logInCount == 2)
        // Who asks for it now is logged in.
        #expect(try await helper.logInAutomatically().user.id == world.server.users.first?.id)
    }

    @Test("does not grow with each call while a vault takes no changes, and loses no log-out")
    func unwritableVault() async throws {
        let client = world.launch(inBackground: false)
        try await client.logInAutomatically()
        world.vault.refusesRecords = true
        for _ in 0..<100 { try await client.reloadUser() }
        #expect(await client.keeper.unsaved.count <= SessionKeeper.maximumUnsaved)
        #expect(await client.currentUser != nil)
        world.server.isOffline = true
        for _ in 0..<100 { await client.logOut() }
        #expect(await client.keeper.unsaved.count <= SessionKeeper.maximumUnsaved)
        #expect(await client.currentUser == nil)
        world.server.isOffline = false
        world.vault.refusesRecords = false
        // The first may be one that began without a network.
        await client.deliverPendingLogOuts()
        #expect(await client.deliverPendingLogOuts())
        #expect(world.server.sessionCount == 0)
        #expect(await world.launch(inBackground: false).reaches { $0 != .unknown } == .loggedOut(.guestLoggedOut))
    }

    @Test("forgets a proof of presence without a response, with the password in it, when it is of no use any more")
    func lostPresence() async throws {
        let client = world.launch(inBackground: false, retry: RetryPolicy(maximumTries: 1))
        try await client.signUp(username: "hana", password: "four quiet words")
        world.server.fail(.lostResponse, path: APIPath.reauthenticate)
        await #expect(throws: OkaeriError.offline) { try await client.reauthenticate(password: "four quiet words") }
        let isKept = await client.keeper.lostPresence != nil
        #expect(isKept)
        await world.clock.waitForSleepers()
        world.clock.advance(by: .seconds(600))
        while await client.keeper.lostPresence != nil { await Task.yield() }
    }

    @Test("takes many changes as one, and of those to a record of another process the log-out")
    func manyChanges() {
        let (before, other) = (Samples.registered, Samples.otherUser)
        let logIn = RecordChange.logIn(Samples.response("guest"), generation: before.generation + 1, keySlot: 1)
        let after = Samples.changed(before) {
            RecordChange.logOut(epoch: nil).apply(to: &$0)
            logIn.apply(to: &$0)
        }
        let all = RecordChange.become(
            RecordChange.Outcome(generation: before.generation, epoch: before.epoch, record: after, hasLogOut: true))
        let same = Samples.changed(before) { all.apply(to: &$0) }
        #expect(same.user?.id == "guest" && same.session == after.session && same.keySlot == 1)
        #expect(same.generation == after.generation && same.pendingRevocations == after.pendingRevocations)
        let left = Samples.changed(other) { all.apply(to: &$0) }
        #expect(left.isLoggedOut && left.keySlot == 0 && left.triedKeySlot == 1)
        #expect(Set(left.pendingRevocations) == [Samples.token("taro's"), Samples.token("old"), Samples.token("new")])
    }
}
