import StorageSQLite
import Synchronization
import TestWorld
import Testing

@testable import Domain

/// Issue 24: what very many events of one application cost, nobody else waits for.
@Suite("Very many events of one application")
struct EventTurnTests {
    private static let backlog = 3000

    /// Notes how many events of the busy application have no position yet when the other one's event arrives.
    private final class CountingReceiver: EventCarrier {
        private let watch = Mutex(Watch())
        private let counts = Mutex<[Int]>([])
        static let quiet = "https://quiet.example.com"

        private struct Watch: Sendable {
            var count: (@Sendable () async -> Int?)?
        }

        func watch(_ count: @escaping @Sendable () async -> Int?) { watch.withLock { $0.count = count } }

        var found: [Int] { counts.withLock { $0 } }

        func mayAsk(_ url: String) -> Bool { true }

        func deliver(_ request: EventRequest) async -> EventOutcome {
            guard request.url == Self.quiet, let count = watch.withLock({ $0.count }) else { return .delivered }
            let found = await count()
            counts.withLock { $0.append(found ?? -1) }
            return .delivered
        }
    }

    private let receiver = CountingReceiver()
    private let store: SQLiteStore
    private let world: TestWorld
    private let busy: Application
    private let quiet: Application

    init() async throws {
        store = try SQLiteStore(.memory, role: .server)
        world = try TestWorld(store, events: receiver)
        (busy, quiet) = (try await world.makeApplication(), try await world.makeApplication())
        for (application, url) in [(busy, "https://busy.example.com"), (quiet, CountingReceiver.quiet)] {
            _ = try await world.modules.events.endpoints.create(.init(url: url), in: application.id, by: .local)
        }
        // One of each user there; here the third one of a user, whose number is higher than all of theirs.
        try await write(in: busy, count: Self.backlog) { "user\($0)" }
        try await write(in: quiet, count: 3) { _ in "hana" }
    }

    private func write(
        in application: Application, count: Int, of user: @escaping @Sendable (Int) -> String
    ) async throws {
        let now = world.clock.now
        try await store.write { transaction throws(DomainError) in
            for number in 0..<count {
                try transaction.insert(
                    Event(
                        id: Identifier(rawValue: "event-\(number)"), application: application.id, type: .loggedIn,
                        user: Identifier(rawValue: user(number)), at: now))
            }
        }
    }

    private static func unordered(_ store: SQLiteStore, _ application: Application) async throws -> Int {
        try await store.read { transaction throws(DomainError) in
            try transaction.unorderedEvents(in: application.id, limit: backlog + 1).count
        }
    }

    @Test("is nothing that a reader of another one waits for, and its own reader waits for a page alone")
    func reading() async throws {
        let read = world.modules.events.readEvents
        #expect(try await read(in: quiet.id, after: 0, limit: 500).events.count == 3)
        #expect(try await read.end(of: quiet.id) == 3)
        #expect(try await Self.unordered(store, busy) == Self.backlog)
        #expect(try await read(in: busy.id, after: 0, limit: 100).events.count == 100)
        #expect(try await Self.unordered(store, busy) == Self.backlog - 100)
        // Page by page everything comes, once.
        var (position, found, isMore) = (Int64(0), 0, true)
        while isMore {
            let page = try await read(in: busy.id, after: position, limit: 500)
            (position, found, isMore) = (page.next, found + page.events.count, !page.events.isEmpty)
        }
        #expect(found == Self.backlog && position == Int64(Self.backlog))
    }

    @Test("is nothing that the delivery of another one waits for, and all of it is sent in the end")
    func delivery() async throws {
        let (store, busy) = (store, busy)
        receiver.watch { try? await Self.unordered(store, busy) }
        let round = try await world.modules.events.deliverEvents()
        #expect(round.delivered == Self.backlog + 3)
        #expect(receiver.found.count == 3)
        // The turns are taken while the first one is sent.
        #expect((receiver.found.first ?? 0) >= Self.backlog / 2, "\(receiver.found)")
        #expect(try await Self.unordered(store, busy) == 0)
    }

    private func replay(
        of application: Application, to endpoint: Identifier<EventEndpoint>
    ) async -> Result<Int, DomainError> {
        do throws(DomainError) {
            return .success(
                try await world.modules.events.replayEvents(after: 0, to: endpoint, in: application.id, by: .local))
        } catch {
            return .failure(error)
        }
    }

    private func endpoint(of application: Application) async throws -> Identifier<EventEndpoint> {
        try #require(try await world.modules.events.endpoints.list(in: application.id).first).id
    }

    @Test(
        "are sent again by one replay at a time: another one is refused at once, and that of another application is not",
        .timeLimit(.minutes(5)))
    func replays() async throws {
        let (store, thread) = (store, HeldThread())
        let (loud, calm) = (try await endpoint(of: busy), try await endpoint(of: quiet))
        // No replay gets on while the writer is held, whichever of them comes first.
        let writing = Task { try await store.write { _ in thread.hold() } }
        await thread.waitForThread()
        let outcomes = await withTaskGroup(of: Result<Int, DomainError>.self) { group in
            for _ in 0..<3 { group.addTask { await replay(of: quiet, to: calm) } }
            var outcomes: [Result<Int, DomainError>] = []
            for _ in 0..<2 {
                if let refused = await group.next() { outcomes.append(refused) }
            }
            group.addTask { await replay(of: busy, to: loud) }
            thread.letGo()
            for await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
        try await writing.value
        let refusal = Result<Int, DomainError>.failure(.busy(retryAfter: ReplayEvents.retry))
        #expect(outcomes.prefix(2) == [refusal, refusal])
        #expect(Set(try outcomes.dropFirst(2).map { try $0.get() }) == [3, ReplayEvents.batch])
        // Who ends makes room.
        #expect(await replay(of: quiet, to: calm) == .success(3))
    }
}
