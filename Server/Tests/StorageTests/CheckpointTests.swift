import CSQLite
import Foundation
import Storage
import TestWorld
import Testing

@testable import StorageSQLite

@Suite("The write-ahead log of a server")
struct CheckpointTests {
    private static let limit: Int32 = 64

    /// A writer beside which the log is moved.
    private final class World {
        let folder = TemporaryFolder()
        let writer: SQLiteConnection
        let checkpoints: CheckpointThread
        private(set) var rows = 0

        init() throws {
            try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
            let path = folder.path + "/test.sqlite"
            writer = try SQLiteConnection(
                path: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, gathersLog: true
            ) { Issue.record("\($0)") }
            for statement in [
                "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "CREATE TABLE rows (id INTEGER, text TEXT)",
            ] { try writer.execute(statement) }
            checkpoints = try CheckpointThread(path: path, writer: writer, limit: limit) { Issue.record("\($0)") }
        }

        /// The bytes of the log that hold something now, or did before it began anew.
        var logBytes: Int {
            let attributes = try? FileManager.default.attributesOfItem(atPath: folder.path + "/test.sqlite-wal")
            return (attributes?[.size] as? NSNumber)?.intValue ?? 0
        }

        /// A number that is another one for each beginning of the log.
        var beginning: Data? {
            guard let log = FileHandle(forReadingAtPath: folder.path + "/test.sqlite-wal") else { return nil }
            return try? log.read(upToCount: 24)?.suffix(12)
        }

        func commit() throws {
            try writer.execute("INSERT INTO rows VALUES (\(rows), printf('%.2000c', 'x'))")
            rows += 1
            checkpoints.afterCommit(on: writer)
        }

        func close() {
            checkpoints.close()
            writer.close()
        }
    }

    @Test("is moved beside the writer and begins anew, again and again, while commits go on")
    func beginsAnew() throws {
        let world = try World()
        var beginnings: Set<Data> = []
        // How many commits fall into a pass is the system's matter; a hundred thousand do not.
        while beginnings.count < 5, world.rows < 100_000 {
            try world.commit()
            if let beginning = world.beginning { beginnings.insert(beginning) }
        }
        #expect(beginnings.count == 5)
        world.close()
        // The last connection is closed: what the log held is in the database, every row once.
        let reader = try SQLiteConnection(path: world.folder.path + "/test.sqlite", flags: SQLITE_OPEN_READONLY) {
            Issue.record("\($0)")
        }
        let counts = try reader.rows("SELECT COUNT(*), COUNT(DISTINCT id), MAX(id) FROM rows", []) { row in
            [row.integer(0), row.integer(1), row.integer(2)]
        }
        #expect(counts == [[Int64(world.rows), Int64(world.rows), Int64(world.rows) - 1]])
        reader.close()
    }

    @Test("is left alone while somebody else moves it, and moved again afterwards")
    func leftAlone() throws {
        let world = try World()
        world.checkpoints.setLimit(0)
        let first = world.beginning
        for _ in 0..<500 { try world.commit() }
        #expect(world.beginning == first && world.logBytes > 500 * 4096)
        world.checkpoints.setLimit(Self.limit)
        while world.beginning == first, world.rows < 100_000 { try world.commit() }
        #expect(world.beginning != first)
        world.close()
    }

    @Test("stays whole while a reader keeps it from beginning anew")
    func reader() throws {
        let world = try World()
        let reader = try SQLiteConnection(path: world.folder.path + "/test.sqlite", flags: SQLITE_OPEN_READONLY) {
            Issue.record("\($0)")
        }
        try world.commit()
        try reader.execute("BEGIN")
        func seen() throws -> Int64? { try reader.rows("SELECT COUNT(*) FROM rows", []) { $0.integer(0) }.first }
        #expect(try seen() == 1)
        let first = world.beginning
        for _ in 0..<1000 { try world.commit() }
        #expect(try world.beginning == first && seen() == 1)
        try reader.execute("COMMIT")
        while world.beginning == first, world.rows < 100_000 { try world.commit() }
        #expect(try world.beginning != first && seen() == Int64(world.rows))
        reader.close()
        world.close()
    }
}
