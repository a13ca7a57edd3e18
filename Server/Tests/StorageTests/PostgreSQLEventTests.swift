import Domain
import Storage
import StoragePostgreSQL
import Synchronization
import TestPostgreSQL
import TestWorld
import Testing

@Suite("Events of three nodes on one PostgreSQL database", .serialized)
struct PostgreSQLEventTests {
    /// Fails now and then, and keeps what it took in order.
    private final class MoodyReceiver: EventCarrier {
        private let state = Mutex((calls: 0, taken: [Event]()))

        var taken: [Event] { state.withLock { $0.taken } }

        func mayAsk(_ url: String) -> Bool { true }

        func deliver(_ request: EventRequest) async -> EventOutcome {
            // Others have their turn while this one is under way.
            await Task.yield()
            return state.withLock { state in
                state.calls += 1
                guard state.calls % 7 != 3 else { return .failed(reason: "the receiver answered 500") }
                state.taken.append(request.event)
                return .delivered
            }
        }
    }

    @Test("reach the receiver once and in the order of each user, whichever nodes wrote and sent them")
    func order() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeMigratedDatabase()
        let (receiver, clock) = (MoodyReceiver(), StandingClock())
        var nodes: [(store: PostgreSQLStore, world: TestWorld)] = []
        for number in 0..<3 {
            let store = try await cluster.store(on: database)
            nodes.append((store, try TestWorld(store, clock: clock, seed: UInt64(number) + 1, events: receiver)))
        }
        let made = try await nodes[0].world.makeApplication()
        _ = try await nodes[0].world.modules.events.endpoints.create(
            .init(url: "https://app.example.com/hooks"), in: made.id, by: .local)
        // Read anew, past every cache.
        let found = try await nodes[0].store.read { transaction throws(DomainError) in
            try transaction.application(made.id)
        }
        let application = try #require(found)
        let worlds = nodes.map(\.world)
        let (users, logIns) = (12, 4)
        try await withThrowingTaskGroup { group in
            for user in 0..<users {
                group.addTask {
                    _ = try await worlds[user % 3].signUp("user\(user)", to: application)
                    for number in 0..<logIns {
                        _ = try await worlds[(user + number) % 3].logIn("user\(user)", to: application)
                    }
                }
            }
            // Delivery goes on meanwhile.
            for world in worlds { group.addTask { _ = try await world.modules.events.deliverEvents() } }
            try await group.waitForAll()
        }
        let expected = users * (2 + logIns)
        var rounds = 0
        while receiver.taken.count < expected, rounds < 300 {
            try await withThrowingTaskGroup { group in
                for world in worlds { group.addTask { _ = try await world.modules.events.deliverEvents() } }
                try await group.waitForAll()
            }
            clock.advance(by: .seconds(3600))
            rounds += 1
        }
        let taken = receiver.taken
        #expect(taken.count == expected && Set(taken.map(\.id)).count == expected, "\(taken.count) in \(rounds) rounds")
        for (user, own) in Dictionary(grouping: taken, by: \.user) {
            let positions = own.compactMap(\.position)
            #expect(positions == positions.sorted() && own.count == 2 + logIns, "\(user): \(positions)")
            #expect(own.first?.type == .userCreated)
        }
        for node in nodes { await node.store.close() }
    }
}
