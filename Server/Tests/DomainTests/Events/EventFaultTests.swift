import StorageSQLite
import Synchronization
import TestWorld
import Testing

@testable import Domain

/// What receivers do to a server, and what becomes of the events.
@Suite("A receiver of events")
struct EventFaultTests {
    private static let url = "https://app.example.com/hooks"
    private static let other = "https://other.example.com"

    /// Keeps the calls of one address, and of those below it, waiting until its gate is opened.
    private final class SlowReceiver: EventCarrier {
        private let slow: String
        private let requests = Mutex<[EventRequest]>([])
        let gate = Gate()
        /// A value for each event that the other addresses took.
        let taken: AsyncStream<Void>
        private let noted: AsyncStream<Void>.Continuation

        init(slow: String) {
            self.slow = slow
            (taken, noted) = AsyncStream<Void>.makeStream()
        }

        var delivered: [EventRequest] { requests.withLock { $0 } }

        func mayAsk(_ url: String) -> Bool { true }

        func deliver(_ request: EventRequest) async -> EventOutcome {
            if request.url.hasPrefix(slow) { await gate.pass() }
            requests.withLock { $0.append(request) }
            if !request.url.hasPrefix(slow) { noted.yield() }
            return .delivered
        }
    }

    /// Lets its caller wait, and asks to be left alone for an hour then.
    private final class LeavingReceiver: EventCarrier {
        let gate = Gate()

        func mayAsk(_ url: String) -> Bool { true }

        func deliver(_ request: EventRequest) async -> EventOutcome {
            guard request.url == EventFaultTests.url else { return .delivered }
            await gate.pass()
            return .failed(reason: "the receiver answered 503", retryAfter: .seconds(3600))
        }
    }

    private static func listen(_ world: TestWorld, at urls: [String]) async throws -> Application {
        let application = try await world.makeApplication()
        for url in urls {
            _ = try await world.modules.events.endpoints.create(.init(url: url), in: application.id, by: .local)
        }
        return try await world.modules.applications.findApplication(application.id)
    }

    @Test("that is slow holds up nobody but itself, with a few calls at once")
    func slow() async throws {
        let receiver = SlowReceiver(slow: Self.url)
        let world = try TestWorld(SQLiteStore(.memory, role: .server), events: receiver)
        let application = try await Self.listen(world, at: [Self.url, Self.other])
        for number in 0..<30 { _ = try await world.signUp("user\(number)", to: application) }
        let deliver = world.modules.events.deliverEvents
        async let round = deliver()
        var taken = receiver.taken.makeAsyncIterator()
        // All 60 reach the other one while the slow one has answered nothing.
        for _ in 0..<60 { _ = await taken.next() }
        #expect(receiver.gate.waiting <= 8)
        // Nobody waits for it who logs in.
        _ = try await world.logIn("user7", to: application)
        receiver.gate.open()
        #expect(try await round.postponed == 0)
        _ = try await deliver()
        #expect(receiver.delivered.count == 122)
    }

    @Test(
        "that is slow is one of twenty of an application, and together they hold up no other application",
        .timeLimit(.minutes(5)))
    func slowApplication() async throws {
        let receiver = SlowReceiver(slow: Self.url)
        let world = try TestWorld(SQLiteStore(.memory, role: .server), events: receiver)
        let crowd = try await Self.listen(world, at: (0..<20).map { "\(Self.url)/\($0)" })
        let application = try await Self.listen(world, at: [Self.other])
        _ = try await world.signUp("hana", to: crowd)
        for number in 0..<5 { _ = try await world.signUp("user\(number)", to: application) }
        let deliver = world.modules.events.deliverEvents
        async let round = deliver()
        var taken = receiver.taken.makeAsyncIterator()
        for _ in 0..<10 { _ = await taken.next() }
        #expect(receiver.gate.waiting <= 8)
        receiver.gate.open()
        #expect(try await round.postponed == 0)
        _ = try await deliver()
        #expect(receiver.delivered.count == 50)
    }

    /// Half of all for each would leave nothing behind two.
    @Test("that is slow, of each of three applications, leaves room to a fourth one", .timeLimit(.minutes(5)))
    func slowApplications() async throws {
        let receiver = SlowReceiver(slow: Self.url)
        let world = try TestWorld(SQLiteStore(.memory, role: .server), events: receiver)
        for crowd in 0..<3 {
            let application = try await Self.listen(world, at: (0..<20).map { "\(Self.url)/\(crowd)/\($0)" })
            _ = try await world.signUp("hana", to: application)
        }
        let application = try await Self.listen(world, at: [Self.other])
        let deliver = world.modules.events.deliverEvents
        async let round = deliver()
        while receiver.gate.waiting < 16 { await Task.yield() }
        _ = try await world.signUp("taro", to: application)
        var taken = receiver.taken.makeAsyncIterator()
        _ = await taken.next()
        receiver.gate.open()
        #expect(try await round.postponed == 0)
    }

    @Test("that is slow to answer tests has some of them, and holds up no event and no test of another application")
    func tests() async throws {
        let receiver = SlowReceiver(slow: Self.url)
        let world = try TestWorld(SQLiteStore(.memory, role: .server), events: receiver)
        let (hostile, other) = (
            try await Self.listen(world, at: [Self.url]), try await Self.listen(world, at: [Self.other])
        )
        let events = world.modules.events
        let endpoint = try #require(try await events.endpoints.list(in: hostile.id).first).id
        let (testEndpoint, most) = (events.testEndpoint, 32)
        try await withThrowingTaskGroup(of: EventOutcome.self) { group in
            for _ in 0..<most { group.addTask { try await testEndpoint(endpoint, in: hostile.id, by: .local) } }
            while receiver.gate.waiting < most { await Task.yield() }
            let beyond = try await testEndpoint(endpoint, in: hostile.id, by: .local)
            #expect(beyond == .failed(reason: "too many tests are under way"))
            let mine = try #require(try await events.endpoints.list(in: other.id).first).id
            #expect(try await testEndpoint(mine, in: other.id, by: .local) == .delivered)
            receiver.gate.open()
            for try await outcome in group { #expect(outcome == .delivered) }
        }
        #expect(try await testEndpoint(endpoint, in: hostile.id, by: .local) == .delivered)
    }

    @Test("that takes its time holds up no event that is written meanwhile", .timeLimit(.minutes(5)))
    func writtenMeanwhile() async throws {
        let receiver = SlowReceiver(slow: Self.url)
        let world = try TestWorld(SQLiteStore(.memory, role: .server), events: receiver)
        let (slow, other) = (
            try await Self.listen(world, at: [Self.url]), try await Self.listen(world, at: [Self.other])
        )
        _ = try await world.signUp("hana", to: slow)
        let deliver = world.modules.events.deliverEvents
        async let round = deliver()
        while receiver.gate.waiting == 0 { await Task.yield() }
        _ = try await world.signUp("taro", to: other)
        var taken = receiver.taken.makeAsyncIterator()
        for _ in 0..<2 { _ = await taken.next() }
        #expect(receiver.delivered.map(\.url) == [Self.other, Self.other])
        receiver.gate.open()
        #expect(try await round.postponed == 0)
        _ = try await deliver()
        #expect(receiver.delivered.count == 4)
    }

    @Test("that an operator moves away from during a call does not hold up the one that takes its place")
    func moved() async throws {
        let receiver = LeavingReceiver()
        let world = try TestWorld(SQLiteStore(.memory, role: .server), events: receiver)
        let application = try await Self.listen(world, at: [Self.url])
        let events = world.modules.events
        let endpoint = try #require(try await events.endpoints.list(in: application.id).first).id
        _ = try await world.signUp("hana", to: application)
        let deliver = events.deliverEvents
        async let round = deliver()
        while receiver.gate.waiting == 0 { await Task.yield() }
        _ = try await events.endpoints.change(
            endpoint, in: application.id, by: .local, requiring: { _ in }, { $0.url = Self.other })
        receiver.gate.open()
        #expect(try await round.postponed == 1)
        _ = try await world.signUp("taro", to: application)
        #expect(try await deliver().delivered == 2)
    }

    @Test("gets nothing more once the server stops: what waits is there at the next start")
    func stopping() async throws {
        let receiver = TestEventReceiver()
        let world = try TestWorld(SQLiteStore(.memory, role: .server), events: receiver)
        let application = try await Self.listen(world, at: [Self.url])
        for number in 0..<20 { _ = try await world.signUp("user\(number)", to: application) }
        let round = try await world.modules.events.deliverEvents(while: { receiver.calls == 0 })
        #expect(round.delivered > 0 && round.delivered <= 8 && receiver.calls == round.delivered)
        let rest = try await world.modules.events.deliverEvents()
        #expect(round.delivered + rest.delivered == 40)
        #expect(Set(receiver.delivered.map(\.event.id)).count == 40)
    }

    /// Issue 24: a server that was killed again soon after its start sent some events a third time.
    @Test(
        "gets an event again that a dead server had begun to send, and not before the next one has stayed for a while")
    func crashLoop() async throws {
        let receiver = TestEventReceiver()
        let world = try TestWorld(SQLiteStore(.memory, role: .server), events: receiver)
        let application = try await Self.listen(world, at: [Self.url])
        _ = try await world.signUp("hana", to: application)
        _ = try await world.modules.events.deliverEvents(while: { false })
        let endpoint = try #require(try await world.modules.events.endpoints.list(in: application.id).first)
        let now = world.clock.now
        let taken = try await world.engine.write { transaction throws(DomainError) in
            try transaction.claimDeliveries(
                of: endpoint, dueBy: now, repetition: now, limit: 8, lease: now + .seconds(5), claim: "the dead")
        }
        #expect(taken.count == 1)
        world.clock.advance(by: DeliverEvents.settlingTime - .milliseconds(1))
        #expect(try await world.modules.events.deliverEvents() == DeliverEvents.Round())
        #expect(receiver.calls == 0)
        world.clock.advance(by: .milliseconds(1))
        #expect(try await world.modules.events.deliverEvents().delivered == 2)
        #expect(receiver.delivered.map(\.event.type) == [.userCreated, .loggedIn])
    }

    @Test("that answers 500 for a day gets everything in the order of each user, and is not asked more than it must")
    func downForADay() async throws {
        let receiver = TestEventReceiver()
        let world = try TestWorld(SQLiteStore(.memory, role: .server), events: receiver)
        let application = try await Self.listen(world, at: [Self.url])
        receiver.fail(Self.url, "the receiver answered 500")
        for number in 0..<10 { _ = try await world.signUp("user\(number)", to: application) }
        for hour in 0..<24 {
            for _ in 0..<6 {
                _ = try await world.modules.events.deliverEvents()
                world.clock.advance(by: .seconds(600))
            }
            _ = try await world.logIn("user\(hour % 10)", to: application)
        }
        #expect(receiver.delivered.isEmpty)
        // Every five minutes at the most, whatever waits.
        #expect(receiver.calls <= 24 * 12 + 10, "\(receiver.calls)")
        receiver.fail(Self.url, nil)
        for _ in 0..<60 {
            _ = try await world.modules.events.deliverEvents()
            world.clock.advance(by: .seconds(3600))
        }
        let events = receiver.delivered.map(\.event)
        #expect(events.count == 44 && Set(events.map(\.id)).count == 44)
        for (_, own) in Dictionary(grouping: events, by: \.user) {
            #expect(own.first?.type == .userCreated)
            #expect(own.compactMap(\.position) == own.compactMap(\.position).sorted())
        }
    }
}
