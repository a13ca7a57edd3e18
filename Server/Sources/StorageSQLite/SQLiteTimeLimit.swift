import CSQLite
import Domain
import Storage

/// The end of a search's time, where SQLite asks for it while it works.
final class SQLiteTimeLimit {
    /// Instructions of SQLite's machine between two looks at the clock: some microseconds of them.
    private static let step: Int32 = 100

    private let handle: OpaquePointer
    private let end: UnsafeMutablePointer<ContinuousClock.Instant>
    /// Whether a search is under way.
    private(set) var isSet = false

    init(_ handle: OpaquePointer) {
        self.handle = handle
        end = .allocate(capacity: 1)
        end.initialize(to: .now)
    }

    deinit {
        end.deallocate()
    }

    /// From now on statements are stopped at the end.
    func set(_ limit: Duration) {
        end.pointee = .now + limit
        isSet = true
        sqlite3_progress_handler(
            handle, Self.step,
            { end in
                guard let end = end?.assumingMemoryBound(to: ContinuousClock.Instant.self) else { return 1 }
                return ContinuousClock.now >= end.pointee ? 1 : 0
            }, end)
    }

    /// From now on statements take as long as they take.
    func remove() {
        sqlite3_progress_handler(handle, 0, nil, nil)
        isSet = false
    }
}

extension SQLiteConnection {
    /// Runs a closure whose statements are stopped together when their time is over, or they have read too much.
    func search<Value: Sendable>(
        within limit: Duration, _ body: (SQLiteConnection) throws(DomainError) -> Value
    ) -> Searched<Value> {
        let start = ContinuousClock.now
        timeLimit.set(limit)
        searchBytesLeft = SearchLimits.maximumBytes
        defer {
            timeLimit.remove()
            searchBytesLeft = nil
        }
        let result = Result { () throws(DomainError) in try body(self) }
        return Searched(result, time: start.duration(to: .now))
    }

    /// Runs a closure on one consistent state.
    func reading<Value>(
        _ body: (any Transaction) throws(DomainError) -> Value
    ) throws(DomainError) -> Value {
        try run("BEGIN")
        defer {
            // A read transaction that cannot end was ended by the fault that is reported already.
            if isOpen, !isOutsideTransaction {
                if timeLimit.isSet { timeLimit.remove() }
                try? run("COMMIT")
            }
        }
        return try body(SQLTransaction(self))
    }
}
