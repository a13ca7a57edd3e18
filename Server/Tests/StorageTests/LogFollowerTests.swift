import CSQLite
import Domain
import Foundation
import Storage
import Testing

@testable import StorageSQLite

@Suite("Following the write-ahead log")
struct LogFollowerTests {
    private let folder = TemporaryFolder()

    @Test("finds whole commits and nothing else, wherever the log is cut")
    func everyByte() throws {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let path = folder.path + "/rows.sqlite"
        let connection = try SQLiteConnection(path: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) { _ in }
        for setting in ["page_size = 512", "journal_mode = WAL", "wal_autocheckpoint = 0"] {
            try connection.execute("PRAGMA \(setting)")
        }
        var ends: [Int] = []
        for text in [
            "CREATE TABLE rows (number INTEGER PRIMARY KEY, text TEXT)", "INSERT INTO rows (text) VALUES ('a')",
            "INSERT INTO rows (text) VALUES (hex(randomblob(900)))", "DELETE FROM rows",
        ] {
            try connection.execute(text)
            ends.append(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")).count)
        }
        let log = Array(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")))
        #expect(ends.count == 4 && ends.last == log.count)
        for count in 0...log.count {
            let expected = ends.last { $0 <= count }
            #expect(committed(Array(log[..<count])) == expected, "cut at \(count)")
        }
        // A bit that fell over ends the log before its commit.
        for index in stride(from: 0, to: log.count, by: 7) {
            var changed = log
            changed[index] ^= 0x10
            let found = committed(changed) ?? 0
            #expect(found <= index, "byte \(index)")
        }
    }

    /// Where the last whole commit of a log ends.
    private func committed(_ log: [UInt8]) -> Int? {
        guard var cursor = LogPosition(header: Array(log.prefix(LogPosition.headerBytes))) else { return nil }
        var end: Int?
        while let frame = cursor.pass(log.dropFirst(cursor.offset).prefix(cursor.frameBytes)) {
            if frame.pagesAfterCommit != 0 { end = cursor.offset }
        }
        return end
    }

    @Test("goes on behind a log that was moved and begun anew, without a gap, and gives all of it")
    func restarts() async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        let copy = folder.path + "/copy.sqlite"
        let follower = LogFollower(store, folder: folder.path, longestLog: 20)
        try follower.begin()
        _ = try SQLiteSnapshot(of: folder.path, to: copy) { _, _ in }
        let replay = try LogReplay(path: copy, after: nil)
        var restarts = 0
        for number in 0..<60 {
            try await store.write { transaction throws(DomainError) in
                guard let connection = (transaction as? SQLTransaction)?.connection as? SQLiteConnection else {
                    throw .storageUnavailable
                }
                if number == 0 { try connection.execute("CREATE TABLE extra (number INTEGER PRIMARY KEY, text TEXT)") }
                try connection.execute("INSERT INTO extra (text) VALUES (hex(randomblob(3000)))")
            }
            let before = follower.position
            switch follower.look() {
            case .gap(let reason): Issue.record("\(reason)")
            case .nothing: break
            case .commits(let end):
                while let frames = follower.read(to: end, maximumBytes: 10_000) { try replay.apply(frames) }
            }
            if let before, let now = follower.position, !before.isOfSameLog(as: now) { restarts += 1 }
            let (frames, gap) = follower.shorten()
            #expect(gap == nil)
            for more in frames { try replay.apply(more) }
        }
        #expect(restarts > 3)
        try replay.finish()
        _ = try SQLiteSnapshot(checking: copy)
        #expect(try SQLiteTables(path: copy).shapes().contains { $0.name == "extra" })
        let size = try FileManager.default.attributesOfItem(atPath: folder.path + "/okaeri.sqlite-wal")[.size] as? Int
        #expect(size ?? .max < 4_000_000)
        follower.end()
        await store.close()
    }

    @Test("keeps others from moving the log away before it was read")
    func held() async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        let follower = LogFollower(store, folder: folder.path)
        try follower.begin()
        let other = try SQLiteConnection(
            path: SQLiteStore.databasePath(in: folder.path), flags: SQLITE_OPEN_READWRITE
        ) { _ in }
        // A connection knows of the log when it has read.
        _ = try other.row("SELECT COUNT(*) FROM schema_migrations", []) { row throws(DomainError) in row.only.integer }
        for _ in 0..<3 {
            try await write(to: store)
            let code = sqlite3_wal_checkpoint_v2(other.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
            #expect(code & 0xff == SQLITE_BUSY)
            guard case .commits(let end) = follower.look() else {
                Issue.record("no commit was found")
                continue
            }
            while follower.read(to: end, maximumBytes: 1 << 20) != nil {}
            #expect(follower.position == end)
        }
        follower.end()
        let code = sqlite3_wal_checkpoint_v2(other.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        #expect(code == SQLITE_OK)
        other.close()
        await store.close()
    }

    private func write(to store: SQLiteStore) async throws {
        try await store.write { transaction throws(DomainError) in
            guard let connection = (transaction as? SQLTransaction)?.connection as? SQLiteConnection else {
                throw .storageUnavailable
            }
            try connection.execute("CREATE TABLE IF NOT EXISTS extra (number INTEGER PRIMARY KEY, text TEXT)")
            try connection.execute("INSERT INTO extra (text) VALUES ('row')")
        }
    }
}
