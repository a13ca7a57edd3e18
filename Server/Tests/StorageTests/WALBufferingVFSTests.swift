import CSQLite
import Domain
import Foundation
import Storage
import Testing

@testable import StorageSQLite

@Suite("Gathered frames of the write-ahead log")
struct WALBufferingVFSTests {
    let folder = TemporaryFolder()
    let connection: SQLiteConnection

    init() throws {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        connection = try SQLiteConnection(
            path: folder.path + "/rows.sqlite", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
            gathersLog: true
        ) { _ in }
        try #require(WALBufferingVFS.isRegistered)
        for setting in ["journal_mode = WAL", "synchronous = FULL", "wal_autocheckpoint = 0"] {
            try connection.execute("PRAGMA \(setting)")
        }
        try connection.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    }

    @Test("are in the log when a commit is over, few or many", arguments: [1, 20, 2_000])
    func committed(count: Int) throws {
        try insert(1...count)
        let copy = try connectionToCopy()
        #expect(try numbers(copy) == Array(1...count))
        #expect(try texts("PRAGMA integrity_check", copy) == ["ok"])
    }

    @Test("wait for the commit together, and no other connection sees them before it")
    func together() throws {
        let other = try SQLiteConnection(path: folder.path + "/rows.sqlite", flags: SQLITE_OPEN_READWRITE) { _ in }
        // So small a memory for pages that SQLite moves changed ones to the log before the commit.
        try connection.execute("PRAGMA cache_size = 5")
        let before = try logBytes()
        try connection.execute("BEGIN IMMEDIATE")
        try insert(1...10)
        #expect(try logBytes() == before)
        #expect(try numbers(other) == [])
        try connection.execute("COMMIT")
        #expect(try logBytes() > before + 10 * 4096)
        #expect(try numbers(other) == Array(1...10))
    }

    @Test("are read back by the transaction that changed them, and gone when it takes them back")
    func takenBack() throws {
        try connection.execute("PRAGMA cache_size = 5")
        try connection.execute("BEGIN IMMEDIATE")
        try insert(1...100)
        #expect(try numbers(connection) == Array(1...100))
        try connection.execute("SAVEPOINT later")
        try insert(101...300)
        try connection.execute("UPDATE rows SET text = upper(text)")
        #expect(try numbers(connection) == Array(1...300))
        try connection.execute("ROLLBACK TO later")
        #expect(try numbers(connection) == Array(1...100))
        try insert(501...510)
        try connection.execute("COMMIT")
        let copy = try connectionToCopy()
        #expect(try numbers(copy) == Array(1...100) + Array(501...510))
        #expect(try texts("SELECT DISTINCT text FROM rows", copy) == [Self.text])
        #expect(try texts("PRAGMA integrity_check", copy) == ["ok"])
    }

    @Test("of a transaction that is undone leave the database as it was, and the next one writes over them")
    func undone() throws {
        try insert(1...3)
        try connection.execute("PRAGMA cache_size = 5")
        try connection.execute("BEGIN IMMEDIATE")
        try insert(4...200)
        try connection.execute("ROLLBACK")
        #expect(try numbers(try connectionToCopy("undone")) == [1, 2, 3])
        try insert(4...5)
        #expect(try numbers(try connectionToCopy("written over")) == [1, 2, 3, 4, 5])
    }

    @Test("move into the database with a checkpoint, and the log starts anew")
    func checkpoint() throws {
        try insert(1...50)
        #expect(try texts("PRAGMA wal_checkpoint(TRUNCATE)", connection) == ["0"])
        #expect(try logBytes() == 0)
        try insert(51...60)
        #expect(try numbers(try connectionToCopy()) == Array(1...60))
    }

    /// Nearly a page, so that each row changes one of its own.
    private static let text = String(repeating: "a", count: 3_500)

    private func insert(_ numbers: ClosedRange<Int>) throws {
        let isAlone = connection.isOutsideTransaction
        if isAlone { try connection.execute("BEGIN IMMEDIATE") }
        for number in numbers {
            try connection.run(
                "INSERT INTO rows (number, text) VALUES ($1, $2)", [.integer(Int64(number)), .text(Self.text)])
        }
        if isAlone { try connection.execute("COMMIT") }
    }

    private func numbers(_ connection: SQLiteConnection) throws -> [Int] {
        try connection.rows("SELECT number FROM rows ORDER BY number", []) { row throws(DomainError) in
            Int(row.integer(0))
        }
    }

    private func texts(_ question: Query, _ connection: SQLiteConnection) throws -> [String] {
        try connection.rows(question, []) { row throws(DomainError) in row.text(0) }
    }

    private func logBytes() throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/rows.sqlite-wal")
        return try #require(attributes[.size] as? Int)
    }

    /// What a machine would find that lost its power now, if its disk kept what was synchronised.
    private func connectionToCopy(_ name: String = "copy") throws -> SQLiteConnection {
        let copy = folder.path + "/" + name
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
        for file in ["rows.sqlite", "rows.sqlite-wal"] {
            try FileManager.default.copyItem(atPath: "\(folder.path)/\(file)", toPath: "\(copy)/\(file)")
        }
        return try SQLiteConnection(path: copy + "/rows.sqlite", flags: SQLITE_OPEN_READWRITE) { _ in }
    }
}
