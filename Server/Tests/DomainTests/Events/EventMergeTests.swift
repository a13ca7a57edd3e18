import Domain
import StorageSQLite
import Synchronization
import TestWorld
import Testing

/// Issue 24: a backend that rewrites its foreign keys at a merge must not get an older event of the user that went after it.
@Suite("Events of a merge")
struct EventMergeTests {
    /// Refuses an event of a type for as long as the test wants.
    private final class ChoosyReceiver: EventCarrier {
        private let state = Mutex((refused: EventType?.none, taken: [Event]()))

        var taken: [Event] { state.withLock { $0.taken } }

        func refuse(_ type: EventType?) { state.withLock { $0.refused = type } }

        func mayAsk(_ url: String) -> Bool { true }

        func deliver(_ request: EventRequest) async -> EventOutcome {
            state.withLock { state in
                guard request.event.type != state.refused else { return .failed(reason: "the receiver answered 500") }
                state.taken.append(request.event)
                return .delivered
            }
        }
    }

    @Test("come behind what the user that went did before, and before what that user does after the merge is undone")
    func order() async throws {
        let receiver = ChoosyReceiver()
        let world = try TestWorld(SQLiteStore(.memory, role: .server), events: receiver)
        let made = try await world.makeApplication()
        _ = try await world.modules.events.endpoints.create(
            .init(url: "https://app.example.com"), in: made.id, by: .local)
        let application = try await world.modules.applications.findApplication(made.id)
        let hana = try await world.signUp("hana", to: application).user.id
        _ = try await world.modules.events.deliverEvents()
        receiver.refuse(.userCreated)
        let guest = try await world.logIn(TestDevice(), to: application).user.id
        let merge = try await world.modules.administration.users.merge(
            guest, into: hana, in: application, by: .local)
        for _ in 0..<5 {
            _ = try await world.modules.events.deliverEvents()
            world.clock.advance(by: .seconds(60))
        }
        // Nothing of the merge before the guest's creation.
        #expect(!receiver.taken.contains { $0.type == .userMerged })
        try await world.modules.transfers.undoMerge(merge, of: hana, in: application.id, by: .local)
        receiver.refuse(.mergeUndone)
        func deliver() async throws {
            for _ in 0..<5 {
                world.clock.advance(by: .seconds(3600))
                _ = try await world.modules.events.deliverEvents()
            }
        }
        try await deliver()
        let ofGuest = { (event: Event) in event.user == guest || event.leftUser == guest }
        #expect(receiver.taken.filter(ofGuest).map(\.type) == [.userCreated, .userMerged])
        _ = try await world.modules.administration.users.endAllSessions(of: guest, in: application, by: .local)
        try await deliver()
        #expect(receiver.taken.filter(ofGuest).count == 2)
        receiver.refuse(nil)
        for _ in 0..<24 { try await deliver() }
        let types = receiver.taken.filter(ofGuest).map(\.type.rawValue)
        #expect(types.prefix(3) == ["user.created", "user.merged", "user.merge-undone"], "\(types)")
        #expect(types.count > 3, "\(types)")
    }
}
