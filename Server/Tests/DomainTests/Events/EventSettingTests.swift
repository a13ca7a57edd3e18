import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// What operators change about events, what it leaves in the audit log, and how much is read at once.
@Suite("The settings of events")
struct EventSettingTests {
    private static let url = "https://app.example.com/hooks"

    private let world: TestWorld
    private let receiver = TestEventReceiver()
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server), events: receiver)
        application = try await world.makeApplication()
    }

    private var endpoints: ManageEventEndpoints { world.modules.events.endpoints }

    private func details() async throws -> [[String: String]] {
        try await world.modules.administration.audit.list(
            in: application.id, matching: AuditFilter(action: .settingsChanged)
        ).map(\.details).reversed()
    }

    private func settings() async throws -> EventSettings {
        try await world.modules.applications.findApplication(application.id).settings.events
    }

    @Test(
        "keep events for 1 to 90 days",
        arguments: [(.min, false), (0, false), (1, true), (90, true), (91, false), (.max, false)] as [(Int64, Bool)])
    func retention(days: Int64, isTaken: Bool) async throws {
        let refused = await world.refusal {
            try await world.modules.events.changeSettings(
                of: application.id, isStreamed: true, retentionDays: days, by: .local)
        }
        let fault = ValidationError(field: "retentionDays", rule: .outOfRange(1...90))
        #expect(refused == (isTaken ? nil : .fieldsRefused([fault])))
        let kept = try await settings()
        #expect(kept.retention == (isTaken ? .days(days) : .days(30)) && kept.isStreamed == isTaken)
        #expect(try await details() == (isTaken ? [["settings": "events"]] : []))
    }

    @Test("stay where nothing is said of them, and leave no entry then")
    func unsaid() async throws {
        let change = world.modules.events.changeSettings
        try await change(of: application.id, isStreamed: nil, retentionDays: nil, by: .local)
        #expect(try await details().isEmpty)
        try await change(of: application.id, isStreamed: nil, retentionDays: 7, by: .local)
        #expect(try await settings().retention == .days(7))
        #expect(try await !settings().isStreamed)
        try await change(of: application.id, isStreamed: true, retentionDays: nil, by: .local)
        #expect(try await settings().retention == .days(7))
        #expect(try await settings().isStreamed)
        #expect(try await details().count == 2)
    }

    @Test("let a secret of before count for up to a week, a day unless said", arguments: [0, 1, 24, 168] as [Int64])
    func overlap(hours: Int64) throws {
        #expect(try SecretOverlap(hours: hours).duration == .seconds(3600 * hours))
        let isStandard = try SecretOverlap(hours: nil) == SecretOverlap(hours: hours)
        #expect(isStandard == (hours == 24))
        #expect(SecretOverlap.standard.duration == .days(1))
        for wrong in [-1, 169, .min, .max] as [Int64] {
            #expect(
                throws: DomainError.fieldsRefused([ValidationError(field: "overlapHours", rule: .outOfRange(0...168))])
            ) { try SecretOverlap(hours: wrong) }
        }
    }

    @Test("record each change of an endpoint, and none of one that there is not")
    func recorded() async throws {
        let id = try await endpoints.create(.init(url: Self.url), in: application.id, by: .local).endpoint.id
        world.clock.advance(by: .seconds(1))
        _ = try await endpoints.change(
            id, in: application.id, by: .local, requiring: { _ in }, { $0.types = [.userCreated] })
        world.clock.advance(by: .seconds(1))
        _ = try await endpoints.rotate(id, in: application.id, overlap: .standard, by: .local)
        world.clock.advance(by: .seconds(1))
        try await endpoints.remove(id, in: application.id, by: .local)
        let changes = ["created", "changed", "secret-rotated", "removed"]
        #expect(try await details() == changes.map { ["event-endpoint": id.rawValue, "change": $0] })
        let gone = DomainError.administration(.notFound)
        #expect(
            await world.refusal {
                _ = try await endpoints.change(id, in: application.id, by: .local, requiring: { _ in }, { _ in })
            } == gone)
        #expect(
            await world.refusal {
                _ = try await endpoints.rotate(id, in: application.id, overlap: .standard, by: .local)
            } == gone)
        #expect(await world.refusal { try await endpoints.remove(id, in: application.id, by: .local) } == gone)
        #expect(
            await world.refusal {
                _ = try await world.modules.events.testEndpoint(id, in: application.id, by: .local)
            } == gone)
        #expect(try await details().count == 4)
    }

    @Test("say that there are endpoints until the last one is gone")
    func presence() async throws {
        let first = try await endpoints.create(.init(url: Self.url), in: application.id, by: .local).endpoint.id
        let second = try await endpoints.create(.init(url: Self.url), in: application.id, by: .local).endpoint.id
        #expect(try await settings().hasEndpoints)
        try await endpoints.remove(first, in: application.id, by: .local)
        #expect(try await settings().hasEndpoints)
        try await endpoints.remove(second, in: application.id, by: .local)
        #expect(try await !settings().hasEndpoints)
    }

    @Test(
        "let an endpoint that was gone be asked again when it is switched on or gets another address",
        arguments: [
            (url, true, true), ("https://new.example.com", true, false), (url, false, false),
            ("https://new.example.com", false, false),
        ])
    func gone(url: String, isPaused: Bool, isStillGone: Bool) async throws {
        var endpoint = try await endpoints.create(.init(url: Self.url), in: application.id, by: .local).endpoint
        (endpoint.isPaused, endpoint.goneAt, endpoint.failures) = (true, world.clock.now, 7)
        endpoint.resumesAt = world.clock.now + .days(1)
        let off = endpoint
        try await world.engine.write { transaction throws(DomainError) in
            try transaction.update(off)
            try transaction.noteCall(of: off)
        }
        world.clock.advance(by: .seconds(1))
        let changed = try await endpoints.change(
            off.id, in: application.id, by: .local, requiring: { _ in },
            { ($0.url, $0.isPaused) = (url, isPaused) })
        #expect((changed.goneAt != nil) == isStillGone && changed.isPaused == isPaused && changed.url == url)
        #expect(changed.failures == 0 && changed.resumesAt == world.clock.now)
        #expect(try await endpoints.list(in: application.id) == [changed])
    }

    @Test("say in words what became of a call")
    func faults() {
        #expect(EventOutcome.delivered.fault == nil)
        #expect(EventOutcome.failed(reason: "no answer", retryAfter: .seconds(1)).fault == "no answer")
        #expect(EventOutcome.gone.fault == "the receiver answered 410")
    }
}

@Suite("Readers of events")
struct EventReaderTests {
    private static let (own, other) = (
        Identifier<Application>(rawValue: "own"), Identifier<Application>(rawValue: "other")
    )

    @Test("are given from one to five hundred events at once", arguments: [.min, -1, 0, 1, 2, 500, 501, .max] as [Int])
    func pages(limit: Int) async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        var settings = ApplicationSettings()
        settings.events.isStreamed = true
        let application = try await world.makeApplication(settings: settings).id
        let now = world.clock.now
        try await world.engine.write { transaction throws(DomainError) in
            for number in 0..<502 {
                try transaction.insert(
                    Event(
                        id: Identifier(rawValue: "e\(1000 + number)"), application: application, type: .loggedIn,
                        user: Identifier(rawValue: "u"), at: now))
            }
        }
        let page = try await world.modules.events.readEvents(in: application, after: 0, limit: limit)
        let count = min(max(limit, 1), 500)
        #expect(page.events.count == count && page.next == Int64(count))
        #expect(page.events.compactMap(\.position) == Array(1...Int64(count)))
        // Behind the last one a reader stays where it is.
        let end = try await world.modules.events.readEvents(in: application, after: 9000, limit: limit)
        #expect(end.events.isEmpty && end.next == 9000)
    }

    @Test("wait a hundred for one application, two hundred in all, and none once the server stops")
    func waiting() {
        let readers = WaitingReaders()
        for number in 0..<100 { #expect(readers.enter(Self.own), "\(number)") }
        #expect(!readers.enter(Self.own) && readers.waiting == 100)
        for number in 0..<100 { #expect(readers.enter(Self.other), "\(number)") }
        #expect(!readers.enter(Self.other) && !readers.enter(Identifier(rawValue: "third")))
        readers.leave(Self.own)
        #expect(readers.waiting == 199 && readers.enter(Identifier(rawValue: "third")))
        readers.leave(Self.own)
        #expect(!readers.isClosed)
        readers.close()
        #expect(readers.isClosed && !readers.enter(Self.own) && readers.waiting == 199)
    }

    @Test("have twenty streams of one application, a hundred in all, and none once the server stops")
    func streams() {
        let readers = WaitingReaders()
        for number in 0..<5 {
            let application = Identifier<Application>(rawValue: "a\(number)")
            for _ in 0..<20 { #expect(readers.beginStream(of: application)) }
            // One that is full leaves room to others, as long as there is any.
            #expect(!readers.beginStream(of: application))
        }
        #expect(!readers.beginStream(of: Self.own))
        readers.endStream(of: Identifier(rawValue: "a0"))
        #expect(readers.beginStream(of: Self.own) && !readers.beginStream(of: Self.other))
        // One that never began ends nothing.
        readers.endStream(of: Self.other)
        #expect(!readers.beginStream(of: Self.other))
        readers.endStream(of: Self.own)
        readers.close()
        #expect(!readers.beginStream(of: Self.own))
    }
}
