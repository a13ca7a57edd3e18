import CSQLite
import Domain
import Storage
import Synchronization
import Testing

@testable import StorageSQLite

@Suite("Parameters of statements")
struct ParameterOrderTests {
    /// SQLite gives a parameter the position of its first mention: a statement with `$3` before `$2` got each other's values, and found nothing.
    @Test("are mentioned in the order of their numbers, or the statement is refused and the log says which one it is")
    func order() throws {
        let faults = Mutex<[String]>([])
        let connection = try SQLiteConnection(path: ":memory:", flags: SQLITE_OPEN_READWRITE) { fault in
            faults.withLock { $0.append(fault) }
        }
        defer { connection.close() }
        func answer(_ query: Query) throws(DomainError) -> [Int64] {
            try connection.rows(query, [.integer(7), .integer(5), .integer(2)]) { row throws(DomainError) in
                row.only.integer
            }
        }
        #expect(try answer("SELECT $1 - $2 * $3 + $1") == [4])
        #expect(faults.withLock { $0 }.isEmpty)
        #expect(throws: DomainError.storageUnavailable) { try answer("SELECT $1 - $3 * $2") }
        let noted = faults.withLock { $0 }
        #expect(noted.count == 1 && noted.first?.contains("SELECT $1 - $3 * $2") == true)
    }
}
