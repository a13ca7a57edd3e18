import CSQLite
import Domain
import Storage
import Synchronization
import Threads

/// Reading connections for searches alone, each with a thread of its own that yields to the others of the server: a
/// search may compute for as long as its time limit, and nobody else waits for it.
final class SearchReaders: Sendable {
    /// What these threads do yields to everything else, though it does not starve.
    private static let niceness = 5
    /// The most searches that wait for one reader. The scheduler of searches lets none wait here.
    private static let maximumWaiting = 100

    private let readers: [Reader]
    /// How many searches each reader has.
    private let loads: Mutex<[Int]>

    /// - Throws: `SQLiteOpenFault` when the file cannot be opened.
    init(path: String, count: Int, reportFault: @escaping @Sendable (String) -> Void) throws(SQLiteOpenFault) {
        var readers: [Reader] = []
        for _ in 0..<max(1, count) {
            readers.append(Reader(try ReaderPool.connection(path: path, reportFault: reportFault)))
        }
        self.readers = readers
        loads = Mutex([Int](repeating: 0, count: readers.count))
    }

    func run<Value: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async -> Searched<Value> {
        let position = loads.withLock { loads in
            let position = loads.indices.min { loads[$0] < loads[$1] } ?? 0
            loads[position] += 1
            return position
        }
        defer { loads.withLock { $0[position] -= 1 } }
        return await readers[position].run(within: limit, body)
    }

    /// Waits for searches under way, and refuses later ones.
    func close() async {
        for reader in readers { await reader.close() }
    }

    private final class Reader: Sendable {
        private let thread = WorkerThreads(
            name: "okaeri-search", count: 1, maximumWaiting: SearchReaders.maximumWaiting,
            niceness: SearchReaders.niceness)
        // Touched on the one thread only.
        nonisolated(unsafe) private let connection: SQLiteConnection

        init(_ connection: sending SQLiteConnection) {
            self.connection = connection
        }

        func run<Value: Sendable>(
            within limit: Duration, _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
        ) async -> Searched<Value> {
            do throws(WorkerThreads.Refusal) {
                return try await thread.run {
                    self.connection.search(within: limit) { connection throws(DomainError) in
                        try connection.reading(body)
                    }
                }
            } catch {
                return Searched(.failure(.storageUnavailable), time: .zero)
            }
        }

        func close() async {
            // Closed threads have nothing to close any more.
            try? await thread.run { self.connection.close() }
            await thread.close()
        }
    }
}
