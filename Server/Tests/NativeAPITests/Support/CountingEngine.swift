import Domain
import Storage
import StorageSQLite
import Synchronization

/// A database in memory that counts what it is asked.
final class CountingEngine: Engine {
    private let engine: SQLiteStore
    private let count = Mutex(0)

    /// How many transactions there were.
    var transactions: Int { count.withLock { $0 } }

    init() throws(SQLiteOpenFault) {
        engine = try SQLiteStore(.memory, role: .server)
    }

    var validity: any CacheValidity { engine.validity }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        count.withLock { $0 += 1 }
        return try await engine.read(body)
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        count.withLock { $0 += 1 }
        return try await engine.write(body)
    }

    func writeStatement<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        count.withLock { $0 += 1 }
        return try await engine.writeStatement(body)
    }

    func search<Value: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async -> Searched<Value> {
        count.withLock { $0 += 1 }
        return await engine.search(within: limit, body)
    }

    func observeChanges(_ observer: @escaping @Sendable (Change) -> Void) { engine.observeChanges(observer) }
    func observeFaults(_ observer: @escaping @Sendable (String) -> Void) { engine.observeFaults(observer) }
    func close() async { await engine.close() }
}
