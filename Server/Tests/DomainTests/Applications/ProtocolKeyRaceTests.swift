import Storage
import StorageSQLite
import TestWorld
import Testing

@testable import Domain

@Suite("Keys of an old protocol that two operators make at once")
struct ProtocolKeyRaceTests {
    /// A store in which something else is written before each write.
    private struct OvertakenStore: Store {
        let engine: SQLiteStore
        let overtake: @Sendable () async throws -> Void

        func read<Value: Sendable>(
            _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
        ) async throws(DomainError) -> Value {
            try await engine.read(body)
        }

        func write<Value: Sendable>(
            _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
        ) async throws(DomainError) -> Value {
            do {
                try await overtake()
            } catch {
                throw .storageUnavailable
            }
            return try await engine.write(body)
        }

        func writeStatement<Value: Sendable>(
            _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
        ) async throws(DomainError) -> Value {
            try await engine.writeStatement(body)
        }

        func search<Value: Sendable>(
            within limit: Duration, _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
        ) async -> Searched<Value> {
            await engine.search(within: limit, body)
        }
    }

    @Test("are those of the first, and the other may come again after a second")
    func race() async throws {
        let engine = try SQLiteStore(.memory, role: .server)
        let world = try TestWorld(engine)
        let id = try await world.makeApplication().id
        let enable = world.modules.applications.enableProtocol
        let store = OvertakenStore(engine: engine) {
            _ = try await enable(.yearly, given: [.open: Secret("first")], of: id, by: .local)
        }
        let overtaken = EnableProtocol(store: store, keyring: enable.keyring, audit: enable.audit)
        let refused = await world.refusal {
            _ = try await overtaken(.yearly, given: [.open: Secret("second")], of: id, by: .local)
        }
        #expect(refused == .busy(retryAfter: .seconds(1)))
        let stored = try await world.engine.read { transaction throws(DomainError) in
            try transaction.protocolKeys(of: id).map(\.publicKey)
        }
        #expect(stored == ["first"])
    }
}
