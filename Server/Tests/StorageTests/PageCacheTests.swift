import CSQLite
import Domain
import Foundation
import Storage
import Testing

@testable import StorageSQLite

@Suite("SQLite's page cache")
struct PageCacheTests {
    let folder = TemporaryFolder()
    let connection: SQLiteConnection

    init() throws {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        connection = try SQLiteConnection(
            path: folder.path + "/rows.sqlite", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        ) { _ in }
        try connection.execute("PRAGMA journal_mode = WAL")
        try connection.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    }

    @Test("is ours, as nothing of SQLite was used before")
    func installed() {
        #expect(SQLiteLibrary.isSetUp)
    }

    @Test(
        "holds what was written while pages split in any order, with room for all of them and for ten",
        arguments: [10, 10_000])
    func splits(pages: Int) throws {
        try connection.execute("PRAGMA cache_size = \(pages)")
        for part in 0..<20 {
            try insert(stride(from: part, to: 4_000, by: 20).map { ($0 &* 2_654_435_761) % 4_001 }, text: "first")
            try expectWhole()
        }
        #expect(try count("first") == 4_000)
    }

    @Test("forgets pages past the end when the database becomes smaller, and those that come in their place are new")
    func smaller() throws {
        try insert(Array(0..<4_000), text: "old")
        try connection.execute("DELETE FROM rows WHERE number > 10")
        try connection.execute("VACUUM")
        try expectWhole()
        try insert(Array((4_000..<8_000).reversed()), text: "new")
        #expect(try count("old") == 11)
        #expect(try count("new") == 4_000)
        try expectWhole()
    }

    @Test("forgets what a transaction had added that was undone")
    func undone() throws {
        try insert(Array(0..<100), text: "kept")
        for _ in 0..<3 {
            try connection.execute("BEGIN IMMEDIATE")
            try insert((0..<3_900).map { ($0 &* 7) % 3_900 + 1_000 }, text: "undone")
            try connection.execute("ROLLBACK")
            #expect(try count("undone") == 0)
            let first = try count("kept")
            try insert(Array(first..<(first + 50)), text: "kept")
            try expectWhole()
        }
        #expect(try count("kept") == 250)
    }

    @Test("sees what another connection wrote")
    func others() throws {
        try insert(Array(0..<1_000), text: "first")
        let other = try SQLiteConnection(path: folder.path + "/rows.sqlite", flags: SQLITE_OPEN_READWRITE) { _ in }
        try other.execute("DELETE FROM rows")
        try other.execute("VACUUM")
        #expect(try count("first") == 0)
        try insert(Array(0..<1_000), text: "second")
        #expect(try count("second") == 1_000)
        try expectWhole()
    }

    @Test("is looked through after a commit only when it may hold a page past the database's end")
    func lookedThrough() throws {
        var looks = 0
        try withUnsafeMutablePointer(to: &looks) { looks in
            var methods = sqlite3_pcache_methods2()
            methods.xFetch = { _, _, _ in nil }
            methods.xRekey = { _, _, _, _ in }
            methods.xTruncate = { looks, _ in
                UnsafeMutablePointer<Int>(looks)?.pointee += 1
            }
            try withUnsafePointer(to: methods) { methods in
                let pages = try #require(OpaquePointer(looks) as OpaquePointer?)
                var counted = CountedPages(pages, methods: methods, pageSize: 4096)
                for number in 1...UInt32(9) { _ = counted.fetch(number, 2) }
                counted.drop(from: 10)
                #expect(looks.pointee == 0)

                // Two pages swap their numbers, as SQLite does it: it asks first whether the new number is taken.
                for (old, new) in [(7, 262_145), (8, 7), (262_145, 8)] as [(UInt32, UInt32)] {
                    _ = counted.fetch(new, 0)
                    counted.renumber(nil, from: old, to: new)
                }
                counted.drop(from: 10)
                #expect(looks.pointee == 0)

                counted.renumber(nil, from: 9, to: 262_145)
                counted.drop(from: 10)
                #expect(looks.pointee == 1)
                counted.drop(from: 10)
                #expect(looks.pointee == 1)
                counted.drop(from: 9)
                #expect(looks.pointee == 2)
                _ = counted.fetch(30, 1)
                counted.drop(from: 10)
                #expect(looks.pointee == 3)
                counted.renumber(nil, from: 8, to: 12)
                counted.drop(from: 10)
                #expect(looks.pointee == 4)
                counted.drop(from: 10)
                #expect(looks.pointee == 4)
            }
        }
    }

    private func insert(_ numbers: [Int], text: String) throws {
        let isAlone = connection.isOutsideTransaction
        if isAlone { try connection.execute("BEGIN IMMEDIATE") }
        let text = text + String(repeating: " ", count: 300)
        for number in numbers {
            try connection.run(
                "INSERT INTO rows (number, text) VALUES ($1, $2)", [.integer(Int64(number)), .text(text)])
        }
        if isAlone { try connection.execute("COMMIT") }
    }

    private func count(_ text: String) throws -> Int {
        let count = try connection.row("SELECT COUNT(*) FROM rows WHERE trim(text) = $1", [.text(text)]) {
            row throws(DomainError) in Int(row.integer(0))
        }
        return try #require(count)
    }

    private func expectWhole() throws {
        let answer = try connection.rows("PRAGMA integrity_check", []) { row throws(DomainError) in row.text(0) }
        #expect(answer == ["ok"])
    }
}
