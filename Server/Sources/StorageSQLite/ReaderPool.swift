import CSQLite
import Domain
import Storage
import Synchronization

/// A few reading connections, each with a queue of its own, so that no read waits on a thread of the server's.
final class ReaderPool: Sendable {
    private let readers: [Reader]
    private let next = Atomic<Int>(0)

    /// - Throws: `SQLiteOpenFault` when the file cannot be opened.
    init(
        path: String, count: Int, steps: StepQueue.Steps? = nil, reportFault: @escaping @Sendable (String) -> Void
    ) throws(SQLiteOpenFault) {
        var readers: [Reader] = []
        for _ in 0..<count {
            let queue = StepQueue(label: "okaeri.sqlite.reader", steps: steps)
            readers.append(Reader(try Self.connection(path: path, reportFault: reportFault), queue))
        }
        self.readers = readers
    }

    /// A connection that writes nothing.
    static func connection(
        path: String, reportFault: @escaping @Sendable (String) -> Void
    ) throws(SQLiteOpenFault) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, flags: SQLITE_OPEN_READWRITE, reportFault: reportFault)
        sqlite3_busy_timeout(connection.handle, 10_000)
        do {
            try connection.execute("PRAGMA query_only = TRUE")
            try connection.execute("PRAGMA cache_size = -2048")
        } catch {
            throw SQLiteOpenFault("The database \(path) cannot be read.")
        }
        return connection
    }

    func run<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        let turn = next.wrappingAdd(1, ordering: .relaxed).oldValue
        return try await readers[Int(UInt(bitPattern: turn) % UInt(readers.count))].run(body)
    }

    func close() async {
        for reader in readers { await reader.close() }
    }
}

private final class Reader: Sendable {
    private let queue: StepQueue
    // Touched on `queue` only.
    nonisolated(unsafe) private let connection: SQLiteConnection

    init(_ connection: sending SQLiteConnection, _ queue: StepQueue) {
        self.connection = connection
        self.queue = queue
    }

    func run<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        let result: Result<Value, DomainError> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.result(of: body)) }
        }
        return try result.get()
    }

    /// Waits for reads under way, and refuses later ones.
    func close() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.connection.close()
                continuation.resume()
            }
        }
    }

    private func result<Value: Sendable>(
        of body: @Sendable (any Transaction) throws(DomainError) -> Value
    ) -> Result<Value, DomainError> {
        Result { () throws(DomainError) in try connection.reading(body) }
    }
}
