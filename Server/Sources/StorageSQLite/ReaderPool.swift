import CSQLite
import Dispatch
import Domain
import Storage
import Synchronization

/// A few reading connections, each with a queue of its own, so that no read waits on a thread of the server's.
final class ReaderPool: Sendable {
    private let readers: [Reader]
    private let next = Atomic<Int>(0)

    /// - Throws: `SQLiteOpenFault` when the file cannot be opened.
    init(
        path: String, count: Int, steps: StepQueue.Steps? = nil, neverChanges: Bool = false,
        reportFault: @escaping @Sendable (String) -> Void
    ) throws(SQLiteOpenFault) {
        var readers: [Reader] = []
        for _ in 0..<count {
            let queue = StepQueue(label: "okaeri.sqlite.reader", steps: steps)
            let connection = try Self.connection(path: path, neverChanges: neverChanges, reportFault: reportFault)
            readers.append(Reader(connection, queue))
        }
        self.readers = readers
    }

    /// A connection that writes nothing.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - neverChanges: Whether nobody writes to it while the connection is open: then nothing is locked, and no log is
    ///     made or looked for beside it.
    ///   - reportFault: Gets what SQLite says when it cannot do something.
    /// - Returns: the connection.
    /// - Throws: `SQLiteOpenFault` when the file cannot be opened.
    static func connection(
        path: String, neverChanges: Bool = false, reportFault: @escaping @Sendable (String) -> Void
    ) throws(SQLiteOpenFault) -> SQLiteConnection {
        let connection =
            neverChanges
            ? try SQLiteConnection(
                path: Self.unchangingAddress(of: path), flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                reportFault: reportFault)
            : try SQLiteConnection(path: path, flags: SQLITE_OPEN_READWRITE, reportFault: reportFault)
        sqlite3_busy_timeout(connection.handle, 10_000)
        do {
            try connection.execute("PRAGMA query_only = TRUE")
            try connection.execute("PRAGMA cache_size = -2048")
        } catch {
            throw SQLiteOpenFault("The database \(path) cannot be read.")
        }
        return connection
    }

    /// A file's address for SQLite that says that it does not change.
    private static func unchangingAddress(of path: String) -> String {
        let safe = path.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return "file:\(safe.joined())?immutable=1"
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

    /// As `close`, for a thread that may wait: no task has a part in it.
    func closeAndWait() {
        for reader in readers { reader.closeAndWait() }
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

    func closeAndWait() {
        let closed = DispatchSemaphore(value: 0)
        queue.async {
            self.connection.close()
            closed.signal()
        }
        closed.wait()
    }

    private func result<Value: Sendable>(
        of body: @Sendable (any Transaction) throws(DomainError) -> Value
    ) -> Result<Value, DomainError> {
        Result { () throws(DomainError) in try connection.reading(body) }
    }
}
