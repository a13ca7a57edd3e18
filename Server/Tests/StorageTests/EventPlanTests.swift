import CSQLite
import Domain
import Foundation
import Storage
import StorageSQLite
import TestWorld
import Testing

/// What each step costs while very many events wait: the statements are read from a trace, and explained by the database.
@Suite("Very many events that wait")
struct EventPlanTests {
    private static let waiting = 20_000
    private static let users = 2000

    private let folder = TemporaryFolder()
    private let plans: QueryPlans

    init() { plans = QueryPlans(folder) }

    /// Every statement finds its rows by an index with more than the application in it, and few of them.
    private func expectBounded(_ statements: [QueryPlans.Statement], rows: Int) throws {
        #expect(!statements.isEmpty)
        for statement in statements { #expect(statement.rows <= rows, "\(statement)") }
        // A span holds no more than a thousand characters; those of a longer statement cannot be explained.
        for text in Set(statements.map(\.text)) where !text.hasPrefix("INSERT") && text.count < 1000 {
            for step in try plans.plan(of: text) {
                let isOfMany = ["events", "event_deliveries", "users", "sessions"].contains { table in
                    step.hasPrefix("SCAN \(table)") || step.hasPrefix("SEARCH \(table)")
                }
                guard isOfMany else { continue }
                // The index of events without a position is walked from the application's beginning.
                let isWalk = step.contains("events_unordered")
                #expect(step.hasPrefix("SEARCH"), "\(step): \(text)")
                #expect(isWalk || !step.hasSuffix("(application_id=?)"), "\(step): \(text)")
            }
        }
    }

    @Test("cost each step of delivery, each removal and each log-in no more than a few would", .timeLimit(.minutes(20)))
    func bounded() async throws {
        let receiver = TestEventReceiver()
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        let world = try TestWorld(TracedEngine(store, .sqlite), events: receiver)
        let made = try await world.makeApplication()
        let url = "https://app.example.com/hooks"
        _ = try await world.modules.events.endpoints.create(.init(url: url), in: made.id, by: .local)
        let application = try await world.modules.applications.findApplication(made.id)
        receiver.fail(url, "the receiver answered 500")
        let (now, count) = (world.clock.now, Self.users)
        for batch in 0..<20 {
            try await store.write { transaction throws(DomainError) in
                for number in 0..<(Self.waiting / 20) {
                    try transaction.insert(
                        Event(
                            id: Identifier(rawValue: "event-\(batch)-\(number)"), application: made.id,
                            type: .userMerged, user: Identifier(rawValue: "user-\(number % count)"), at: now))
                }
            }
        }
        // The first round gives all of them a position, a part at a time, and asks the receiver a few times.
        _ = try await world.modules.events.deliverEvents()
        #expect(receiver.calls < 40, "\(receiver.calls)")
        world.clock.advance(by: .seconds(600))
        let round = try await plans.statements { _ = try await world.modules.events.deliverEvents() }
        try expectBounded(round, rows: 200)
        #expect(receiver.calls < 80, "\(receiver.calls)")
        let ordering = try await plans.statements {
            _ = try await world.signUp("hana", to: application)
            _ = try await world.modules.events.deliverEvents()
        }
        try expectBounded(ordering, rows: 200)
        let logIn = try await plans.statements { _ = try await world.logIn("hana", to: application) }
        try expectBounded(logIn, rows: 20)
        let reading = try await plans.statements {
            _ = try await world.modules.events.readEvents(in: made.id, after: 5000, limit: 500)
            _ = try await world.modules.administration.users.inspect(
                try await world.logIn("hana", to: application).user.id, in: made.id,
                for: .unrestricted)
        }
        try expectBounded(reading, rows: 500)
        let removal = try await plans.statements {
            let removed = try await world.engine.write { transaction throws(DomainError) in
                try transaction.removeEvents(in: made.id, before: now + .days(1), count: 1000)
            }
            #expect(removed == 1000)
        }
        try expectBounded(removal, rows: 1000)
        await store.close()
    }
}
