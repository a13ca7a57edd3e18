import Domain
import StorageSQLite
import Synchronization
import TestWorld
import Testing

@Suite("Searches", .timeLimit(.minutes(5)))
struct SearchSchedulerTests {
    private let engine: ScriptedSearches
    private let clock = StandingClock()
    private let one = Identifier<Application>(rawValue: "one")
    private let two = Identifier<Application>(rawValue: "two")
    private let ended = Log()

    init() throws {
        engine = ScriptedSearches(try SQLiteStore(.memory, role: .server))
    }

    private func scheduler(_ limits: SearchLimits = SearchLimits()) -> SearchScheduler {
        SearchScheduler(store: engine, clock: clock, limits: limits)
    }

    private static func client(_ number: Int) -> SearchRequest {
        let address = "192.0.2.\(number)"
        return SearchRequest(by: .client(ClientAddress(text: address, allowanceGroup: address)))
    }

    /// Begins a search that tells when it has ended.
    private func begin(
        _ name: String, _ scheduler: SearchScheduler, _ application: Identifier<Application>, _ request: SearchRequest
    ) -> Task<Void, any Error> {
        let ended = ended
        return Task {
            try await scheduler(in: application, for: request) { _ throws(DomainError) in ended.add(name) }
        }
    }

    private func untilWaiting(_ count: Int, _ scheduler: SearchScheduler) async {
        while scheduler.waiting != count { await Task.yield() }
    }

    @Test("of one application leave a reader for the others, however many there are")
    func readerForOthers() async throws {
        let scheduler = scheduler(SearchLimits(readers: 3))
        engine.play(.held)
        let many = (0..<20).map { begin("one", scheduler, one, Self.client($0)) }
        await engine.untilHeld(2)
        await untilWaiting(18, scheduler)
        let other = begin("two", scheduler, two, Self.client(1))
        await engine.untilHeld(3)
        engine.letAllGo()
        for task in many + [other] { try await task.value }
        #expect(ended.names.count == 21 && scheduler.waiting == 0)
    }

    @Test("take turns by application where there is one reader, and admins have a turn of their own")
    func turns() async throws {
        let scheduler = scheduler(SearchLimits(readers: 1))
        engine.play(.held)
        var tasks = [begin("one 0", scheduler, one, Self.client(0))]
        await engine.untilHeld(1)
        let waiting = [
            ("one 1", one, Self.client(1)), ("one 2", one, Self.client(2)), ("two", two, Self.client(3)),
            ("admin", one, SearchRequest(by: .admin)), ("one 3", one, SearchRequest(by: .backend)),
        ]
        for (index, (name, application, request)) in waiting.enumerated() {
            tasks.append(begin(name, scheduler, application, request))
            await untilWaiting(index + 1, scheduler)
        }
        for left in (0...5).reversed() {
            await engine.untilHeld(1)
            await untilWaiting(left, scheduler)
            engine.letGo()
        }
        for task in tasks { try await task.value }
        #expect(ended.names == ["one 0", "one 1", "two", "admin", "one 2", "one 3"])
    }

    @Test("are refused when too many of their application wait, while others still find room")
    func tooMany() async throws {
        let scheduler = scheduler(SearchLimits(readers: 1))
        engine.play(.held)
        let count = SearchLimits.maximumWaitingPerApplication + 1
        var tasks = (0..<count).map { begin("\($0)", scheduler, one, Self.client($0)) }
        await engine.untilHeld(1)
        await untilWaiting(count - 1, scheduler)
        await #expect(throws: DomainError.busy(retryAfter: .seconds(1))) {
            try await scheduler(in: one, for: Self.client(200)) { _ in }
        }
        tasks.append(begin("two", scheduler, two, Self.client(200)))
        await untilWaiting(count, scheduler)
        engine.letAllGo()
        for task in tasks { try await task.value }
    }

    @Test("are refused when a thousand and twenty-four wait, of whichever application they are")
    func tooManyInAll() async throws {
        let scheduler = scheduler(SearchLimits(readers: 1))
        engine.play(.held)
        var tasks = [begin("first", scheduler, one, Self.client(0))]
        await engine.untilHeld(1)
        let each = SearchLimits.maximumWaitingPerApplication
        for number in 0..<(SearchLimits.maximumWaiting / each) {
            let application = Identifier<Application>(rawValue: "application \(number)")
            tasks += (0..<each).map { begin("\($0)", scheduler, application, Self.client($0)) }
        }
        await untilWaiting(SearchLimits.maximumWaiting, scheduler)
        await #expect(throws: DomainError.busy(retryAfter: .seconds(1))) {
            try await scheduler(in: two, for: Self.client(1)) { _ in }
        }
        engine.letAllGo()
        for task in tasks { try await task.value }
        #expect(ended.names.count == SearchLimits.maximumWaiting + 1 && scheduler.waiting == 0)
    }

    @Test("of one address are refused when too many of it run and wait")
    func tooManyOfAnAddress() async throws {
        let scheduler = scheduler()
        engine.play(.held)
        var tasks = (0..<SearchLimits.maximumPerAddress).map { begin("\($0)", scheduler, one, Self.client(1)) }
        await untilWaiting(SearchLimits.maximumPerAddress - 1, scheduler)
        await #expect(throws: DomainError.busy(retryAfter: .seconds(1))) {
            try await scheduler(in: one, for: Self.client(1)) { _ in }
        }
        tasks.append(begin("other", scheduler, one, Self.client(2)))
        await untilWaiting(SearchLimits.maximumPerAddress, scheduler)
        engine.letAllGo()
        for task in tasks { try await task.value }
        // Nothing is left counted.
        for _ in 0..<20 { try await scheduler(in: one, for: Self.client(1)) { _ in } }
    }

    @Test("are asked to come again when they have waited for longer than a second")
    func longWait() async throws {
        let scheduler = scheduler(SearchLimits(readers: 1))
        engine.play(.held)
        let first = begin("first", scheduler, one, Self.client(1))
        await engine.untilHeld(1)
        let late = begin("late", scheduler, one, Self.client(2))
        await untilWaiting(1, scheduler)
        clock.advance(by: .milliseconds(600))
        let later = begin("later", scheduler, one, Self.client(3))
        await untilWaiting(2, scheduler)
        clock.advance(by: .milliseconds(600))
        engine.letAllGo()
        try await first.value
        await #expect(throws: DomainError.busy(retryAfter: .seconds(1))) { try await late.value }
        try await later.value
        #expect(ended.names == ["first", "later"] && scheduler.waiting == 0)
    }

    @Test("of one request have one time limit together")
    func oneRequest() async throws {
        let scheduler = scheduler(SearchLimits(time: .milliseconds(300)))
        engine.play(.takes(.milliseconds(200)))
        let request = Self.client(1)
        for _ in 0..<2 { try await scheduler(in: one, for: request) { _ in } }
        await #expect(throws: DomainError.searchTooSlow) { try await scheduler(in: one, for: request) { _ in } }
        #expect(engine.limits == [.milliseconds(300), .milliseconds(100)])
        try await scheduler(in: one, for: Self.client(1)) { _ in }
    }

    @Test("of an address that has searched for too long wait, while other addresses and applications do not")
    func addressBudget() async throws {
        let scheduler = scheduler(SearchLimits(perAddress: .seconds(6), perApplication: nil))
        engine.play(.takes(.milliseconds(2500)))
        for _ in 0..<3 { try await scheduler(in: one, for: Self.client(1)) { _ in } }
        // Seven and a half seconds were spent; six leak away in a minute.
        await #expect(throws: DomainError.rateLimited(retryAfter: .seconds(15))) {
            try await scheduler(in: one, for: Self.client(1)) { _ in }
        }
        try await scheduler(in: one, for: Self.client(2)) { _ in }
        try await scheduler(in: two, for: Self.client(1)) { _ in }
        try await scheduler(in: one, for: SearchRequest(by: .backend)) { _ in }
        clock.advance(by: .seconds(14))
        await #expect(throws: DomainError.self) { try await scheduler(in: one, for: Self.client(1)) { _ in } }
        clock.advance(by: .seconds(2))
        try await scheduler(in: one, for: Self.client(1)) { _ in }
        // A clock that is set back gives nothing back.
        clock.advance(by: .seconds(-3600))
        await #expect(throws: DomainError.self) { try await scheduler(in: one, for: Self.client(1)) { _ in } }
    }

    private static func client(at text: String) throws -> SearchRequest {
        let group = try #require(IPAddress(exactly: text)).allowanceGroup
        return SearchRequest(by: .client(ClientAddress(text: text, allowanceGroup: group)))
    }

    @Test("of many networks of one IPv6 site leave time of their application to others")
    func siteBudget() async throws {
        let scheduler = scheduler(SearchLimits(perAddress: .seconds(6), perApplication: .seconds(30)))
        engine.play(.takes(.seconds(6)))
        for network in 1...3 {
            try await scheduler(in: one, for: Self.client(at: "2001:db8:1:\(network)::1")) { _ in }
        }
        await #expect(throws: DomainError.rateLimited(retryAfter: .seconds(1))) {
            try await scheduler(in: one, for: Self.client(at: "2001:db8:1:4::1")) { _ in }
        }
        try await scheduler(in: one, for: Self.client(at: "2001:db8:2:1::1")) { _ in }
        try await scheduler(in: one, for: Self.client(at: "192.0.2.1")) { _ in }
    }

    @Test("of many networks of one IPv6 site leave room in the line of their application to others")
    func siteShare() async throws {
        let scheduler = scheduler()
        engine.play(.held)
        let most = SearchLimits.maximumPerAddress * 3
        var tasks: [Task<Void, any Error>] = []
        for network in 0..<most {
            let client = try Self.client(at: "2001:db8:1:\(network)::1")
            tasks.append(begin("\(network)", scheduler, one, client))
        }
        await untilWaiting(most - 1, scheduler)
        let another = try Self.client(at: "2001:db8:1:ffff::1")
        await #expect(throws: DomainError.busy(retryAfter: .seconds(1))) {
            try await scheduler(in: one, for: another) { _ in }
        }
        for (index, text) in ["2001:db8:2:1::1", "192.0.2.1"].enumerated() {
            tasks.append(begin(text, scheduler, one, try Self.client(at: text)))
            await untilWaiting(most + index, scheduler)
        }
        engine.letAllGo()
        for task in tasks { try await task.value }
        // Nothing is left counted.
        try await scheduler(in: one, for: another) { _ in }
    }

    @Test("of an application that has searched for too long wait, its own server's too; its admins have their own time")
    func applicationBudget() async throws {
        let scheduler = scheduler(SearchLimits(perAddress: .seconds(6), perApplication: .seconds(30)))
        engine.play(.takes(.seconds(5)))
        for number in 0..<6 { try await scheduler(in: one, for: Self.client(number)) { _ in } }
        for request in [Self.client(99), SearchRequest(by: .backend)] {
            await #expect(throws: DomainError.rateLimited(retryAfter: .seconds(1))) {
                try await scheduler(in: one, for: request) { _ in }
            }
        }
        for _ in 0..<6 { try await scheduler(in: one, for: SearchRequest(by: .admin)) { _ in } }
        await #expect(throws: DomainError.rateLimited(retryAfter: .seconds(1))) {
            try await scheduler(in: one, for: SearchRequest(by: .admin)) { _ in }
        }
        // An export does not end in the middle.
        try await scheduler(in: one, for: SearchRequest(by: .export)) { _ in }
        for request in [Self.client(0), SearchRequest(by: .admin)] {
            try await scheduler(in: two, for: request) { _ in }
        }
    }

    @Test("of the admins of one application leave a reader and a turn for those of another")
    func adminsOfTwo() async throws {
        let scheduler = scheduler(SearchLimits(readers: 2))
        engine.play(.held)
        let lists = (0..<SearchLimits.maximumWaitingPerApplication + 1).map {
            begin("one \($0)", scheduler, one, SearchRequest(by: .admin))
        }
        await engine.untilHeld(1)
        await untilWaiting(SearchLimits.maximumWaitingPerApplication, scheduler)
        // The clients of the same application do not take the other reader either.
        let client = begin("client", scheduler, one, Self.client(1))
        await untilWaiting(SearchLimits.maximumWaitingPerApplication + 1, scheduler)
        let other = begin("two", scheduler, two, SearchRequest(by: .admin))
        await engine.untilHeld(2)
        engine.letAllGo()
        for task in lists + [client, other] { try await task.value }
    }

    @Test("that are stopped are counted with the time that they took")
    func stopped() async throws {
        let scheduler = scheduler(SearchLimits(time: .seconds(3), perAddress: .seconds(6), perApplication: nil))
        engine.play(.tooSlow)
        for _ in 0..<2 {
            await #expect(throws: DomainError.searchTooSlow) {
                try await scheduler(in: one, for: Self.client(1)) { _ in }
            }
        }
        await #expect(throws: DomainError.rateLimited(retryAfter: .seconds(1))) {
            try await scheduler(in: one, for: Self.client(1)) { _ in }
        }
    }

    @Test("are counted for a minute and not for ever")
    func memory() {
        var budgets = SearchBudgets()
        let start = clock.now
        for number in 0..<5000 {
            let owner = SearchBudgets.Owner.address(one, "\(number)")
            budgets.add(.milliseconds(1), to: owner, .seconds(6), at: start + .seconds(number))
        }
        #expect(budgets.count < 2000)
    }

    @Test("without limits are counted for nobody")
    func off() async throws {
        let scheduler = scheduler(SearchLimits(perAddress: nil, perApplication: nil))
        engine.play(.takes(.seconds(100)))
        for _ in 0..<10 { try await scheduler(in: one, for: Self.client(1)) { _ in } }
    }
}

/// What has happened, in order.
private final class Log: Sendable {
    private let entries = Mutex<[String]>([])
    var names: [String] { entries.withLock { $0 } }
    func add(_ name: String) { entries.withLock { $0.append(name) } }
}
