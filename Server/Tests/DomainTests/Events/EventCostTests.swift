import Domain
import Storage
import StorageSQLite
import TestWorld
import Testing

@Suite("Events that nobody listens to")
struct EventCostTests {
    /// Where an endpoint is.
    enum Listener: CaseIterable {
        case nowhere, elsewhere, here
    }

    /// The statements of a first launch, and of the next automatic log-in.
    private func statements(_ listener: Listener) async throws -> (first: [String], next: [String]) {
        let spans = SpanQueue(capacity: 10_000)
        let store = try SQLiteStore(.memory, role: .server)
        let world = try TestWorld(TracedEngine(store, .sqlite), events: TestEventReceiver())
        let (made, other) = (try await world.makeApplication(), try await world.makeApplication("Other"))
        if listener != .nowhere {
            _ = try await world.modules.events.endpoints.create(
                .init(url: "https://app.example.com"), in: listener == .here ? made.id : other.id, by: .local)
        }
        let application = try await world.modules.applications.findApplication(made.id)
        func run(_ work: @Sendable () async throws -> Void) async throws -> [String] {
            let request = Tracer(ratio: 1, seeds: (1, 2), queue: spans).begin("test", .server)
            try await CurrentSpan.$value.withValue(request) { try await work() }
            return spans.take(.max).flatMap(\.attributes).compactMap { attribute in
                guard attribute.name == "db.query.text", case .text(let text) = attribute.value else { return nil }
                return text
            }
        }
        let device = TestDevice()
        let first = try await run { _ = try await world.logIn(device, to: application) }
        let next = try await run { _ = try await world.logIn(device, to: application) }
        await store.close()
        return (first, next)
    }

    @Test("cost a first launch and an automatic log-in no statement, and one that is heard costs known devices none")
    func statements() async throws {
        let nowhere = try await statements(.nowhere)
        let elsewhere = try await statements(.elsewhere)
        let here = try await statements(.here)
        #expect(!nowhere.first.isEmpty && !nowhere.next.isEmpty)
        #expect(elsewhere.first == nowhere.first)
        #expect(elsewhere.next == nowhere.next && here.next == nowhere.next)
        #expect(!nowhere.first.contains { $0.contains("events") })
        #expect(here.first.contains { $0.hasPrefix("INSERT INTO events") })
    }
}
