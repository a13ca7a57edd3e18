import Foundation
import Okaeri
import OkaeriTesting
import OkaeriWire
import Testing

@Suite("States")
struct StateTests {
    let world = World()

    @Test("begin unknown, and follow log-in and log-out")
    func sequence() async throws {
        let client = world.launch()
        var states = client.states.makeAsyncIterator()
        #expect(await states.next() == .unknown)
        #expect(await states.next() == .loggedOut(.firstLaunch))
        let user = try await client.logInAutomatically().user
        #expect(await states.next() == .loggedIn(user, freshness: .fresh))
        let changed = try await client.update(UserChanges(displayName: .set("花子")))
        #expect(await states.next() == .loggedIn(changed, freshness: .fresh))
        await client.logOut()
        #expect(await states.next() == .loggedOut(.guestLoggedOut))
    }

    @Test("are repeated to everybody who comes later")
    func replay() async throws {
        let client = world.launch()
        let user = try await client.logInAutomatically().user
        for _ in 0..<2 {
            var states = client.states.makeAsyncIterator()
            #expect(await states.next() == .loggedIn(user, freshness: .fresh))
        }
    }

    @Test("become fresh with the first answer of the server")
    func freshness() async throws {
        let user = try await world.launch().logInAutomatically().user
        let client = world.launch()
        #expect(await client.reaches { $0 != .unknown } == .loggedIn(user, freshness: .offlineCopy))
        _ = try await client.sessions()
        #expect(await client.reaches { $0 != .unknown } == .loggedIn(user, freshness: .fresh))
    }

    @Test("end with the client")
    func end() async throws {
        var client: OkaeriClient? = world.launch()
        var states = try #require(client?.states.makeAsyncIterator())
        #expect(await states.next() == .unknown)
        #expect(await states.next() == .loggedOut(.firstLaunch))
        client = nil
        #expect(await states.next() == nil)
    }
}
