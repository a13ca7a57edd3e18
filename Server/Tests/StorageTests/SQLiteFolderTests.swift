import CSQLite
import Domain
import Foundation
import OkaeriWire
import Storage
import StorageSQLite
import Synchronization
import TestWorld
import Testing

@Suite("SQLite in a folder")
struct SQLiteFolderTests {
    let folder = TemporaryFolder()
    var file: String { folder.path + "/okaeri.sqlite" }

    @Test("writes durably: write-ahead log, synchronous FULL")
    func durability() async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        let world = try TestWorld(store)
        _ = try await world.makeApplication()
        #expect(try sqlite("PRAGMA journal_mode") == "wal")
        #expect(try await store.settings() == ["2"])
    }

    @Test("keeps everything over a restart: users, sessions, used proofs and counters")
    func restart() async throws {
        let device = TestDevice()
        let clock = StandingClock()
        let limit = RateLimit(maximum: 1, window: .seconds(3600))
        let first = try SQLiteStore(.folder(folder.path), role: .server)
        let before = try TestWorld(first, clock: clock, firstLaunches: limit)
        let application = try await before.makeApplication()
        let proof = try device.presented(at: clock.now)
        let logIn = try await before.modules.logIns.logInAutomatically(
            .init(application: application, proof: proof, address: TestWorld.address))
        await first.close()

        let second = try SQLiteStore(.folder(folder.path), role: .server)
        let after = try TestWorld(second, clock: clock, firstLaunches: limit, seed: 99)
        #expect(try await after.authenticate(logIn.token, in: application).user.id == logIn.user.id)
        // It may be a used one: the time that comes with the refusal is one whose proofs count.
        let next = clock.now + .seconds(1)
        await #expect(throws: DomainError.clockSkew(serverTime: next)) {
            try await after.modules.logIns.logInAutomatically(
                .init(application: application, proof: proof, address: TestWorld.address))
        }
        clock.advance(by: .seconds(1))
        await #expect(throws: DomainError.rateLimited(retryAfter: .seconds(3599))) {
            try await after.logIn(TestDevice(), to: application)
        }
    }

    @Test("lets a server see what a command changed at its next request")
    func commandBesideServer() async throws {
        let server = try TestWorld(try SQLiteStore(.folder(folder.path), role: .server))
        let application = try await server.makeApplication()
        let logIn = try await server.logIn(TestDevice(), to: application)
        _ = try await server.authenticate(logIn.token, in: application)
        let command = try TestWorld(try SQLiteStore(.folder(folder.path), role: .command), seed: 50)
        try await command.modules.sessions.endSession(logIn.session.id, of: nil, in: application.id, by: .local)
        await #expect(throws: DomainError.sessionInvalid) {
            try await server.authenticate(logIn.token, in: application)
        }
        let another = try await command.makeApplication("Made beside the server")
        #expect(try await server.modules.applications.findApplication(another.id) == another)
    }

    @Test("refuses a second server, and takes one after the first has gone")
    func secondServer() async throws {
        do {
            let first = try SQLiteStore(.folder(folder.path), role: .server)
            let fault = #expect(throws: SQLiteOpenFault.self) {
                try SQLiteStore(.folder(folder.path), role: .server)
            }
            #expect(fault?.description.contains("Another Okaeri server") == true)
            await first.close()
        }
        _ = try SQLiteStore(.folder(folder.path), role: .server)
    }

    @Test("lets two commands at once make one database, and a server start when both have begun")
    func commandsAlone() async throws {
        let first = try SQLiteStore(.folder(folder.path), role: .command)
        let second = try SQLiteStore(.folder(folder.path), role: .command)
        let server = try TestWorld(try SQLiteStore(.folder(folder.path), role: .server))
        let application = try await TestWorld(first, seed: 50).makeApplication()
        let other = try TestWorld(second, seed: 51)
        #expect(try await other.modules.applications.findApplication(application.id) == application)
        #expect(try await server.modules.applications.findApplication(application.id) == application)
    }

    @Test("makes no database beside a standby's copy, and takes the one that a take-over has made")
    func standby() async throws {
        let database = try Data(contentsOf: URL(fileURLWithPath: try await made()))
        try FileManager.default.removeItem(atPath: folder.path)
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        try database.write(to: URL(fileURLWithPath: folder.path + "/standby.sqlite"))
        for role in [SQLiteStore.Role.server, .command] {
            let fault = #expect(throws: SQLiteOpenFault.self) { try SQLiteStore(.folder(folder.path), role: role) }
            #expect(fault?.description.contains("okaeri standby take-over") == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["standby.sqlite"])
        }
        try database.write(to: URL(fileURLWithPath: file))
        await (try SQLiteStore(.folder(folder.path), role: .server)).close()
    }

    /// Makes a database, and returns where it is.
    private func made() async throws -> String {
        await (try SQLiteStore(.folder(folder.path), role: .server)).close()
        return file
    }

    @Test("refuses a database from a newer version, and leaves it as it is")
    func newerSchema() async throws {
        await (try SQLiteStore(.folder(folder.path), role: .server)).close()
        _ = try sqlite("INSERT INTO schema_migrations VALUES (4711, 'from the future')")
        let fault = #expect(throws: SQLiteOpenFault.self) {
            try SQLiteStore(.folder(folder.path), role: .server)
        }
        #expect(fault?.description.contains("schema version 4711, made by a newer Okaeri") == true)
        #expect(try sqlite("SELECT MAX(version) FROM schema_migrations") == "4711")
    }

    @Test("is brought up to date by no command below a server, which is older then, and by one where none runs")
    func olderServer() async throws {
        let latest = Migration.latestVersion
        try DatabaseBeforeStep(step: latest, rows: { _ in "SELECT 1" }, check: { _ in }).make(in: folder)
        let server = try ServerLock(folder: folder.path)
        let fault = #expect(throws: SQLiteOpenFault.self) { try SQLiteStore(.folder(folder.path), role: .command) }
        #expect(fault?.description.contains("schema version \(latest - 1), and a server of an older Okaeri") == true)
        #expect(try sqlite("SELECT MAX(version) FROM schema_migrations") == "\(latest - 1)")
        server.release()
        await (try SQLiteStore(.folder(folder.path), role: .command)).close()
        #expect(try sqlite("SELECT MAX(version) FROM schema_migrations") == "\(latest)")
    }

    @Test("says which folder cannot be made")
    func impossibleFolder() {
        let fault = #expect(throws: SQLiteOpenFault.self) {
            try SQLiteStore(.folder("/proc/okaeri"), role: .server)
        }
        #expect(fault?.description.contains("/proc/okaeri") == true)
    }

    @Test("refuses a file that is no database")
    func notADatabase() throws {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        try Data(repeating: 65, count: 10_000).write(to: URL(fileURLWithPath: file))
        let fault = #expect(throws: SQLiteOpenFault.self) {
            try SQLiteStore(.folder(folder.path), role: .server)
        }
        #expect(fault?.description.contains("file is not a database") == true)
    }

    @Test("gives its files to their owner alone")
    func permissions() async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        for (path, rights) in [(folder.path, 0o700), (file, 0o600), (file + "-wal", 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == rights, "\(path)")
        }
        await store.close()
    }

    @Test("writes nothing to a file that was moved, removed or replaced, says so, and goes on when it is back")
    func movedFile() async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        let faults = Mutex<[String]>([])
        store.observeFaults { fault in faults.withLock { $0.append(fault) } }
        let world = try TestWorld(store)
        let application = try await world.makeApplication()
        let logIn = try await world.logIn(TestDevice(), to: application)
        let moved = file + ".moved"
        for replacement in [nil, "another"] {
            try FileManager.default.moveItem(atPath: file, toPath: moved)
            if let replacement { try Data(replacement.utf8).write(to: URL(fileURLWithPath: file)) }
            await #expect(throws: DomainError.storageUnavailable) {
                _ = try await world.logIn(TestDevice(), to: application)
            }
            _ = try await world.authenticate(logIn.token, in: application)
            #expect(faults.withLock { $0.last?.contains("while it is in use") } == true)
            if replacement != nil { try FileManager.default.removeItem(atPath: file) }
            try FileManager.default.moveItem(atPath: moved, toPath: file)
            _ = try await world.logIn(TestDevice(), to: application)
        }
        await store.close()
        #expect(try sqlite("SELECT COUNT(*) FROM users") == "3")
    }

    @Test("refuses work after it was closed, and leaves one file with everything in it")
    func closed() async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        let application = try await TestWorld(store).makeApplication()
        await store.close()
        await store.close()
        #expect(!FileManager.default.fileExists(atPath: file + "-wal"))
        #expect(try sqlite("SELECT id FROM applications") == application.id.rawValue)
        await #expect(throws: DomainError.storageUnavailable) {
            try await store.read { transaction throws(DomainError) in try transaction.applications().count }
        }
        await #expect(throws: DomainError.storageUnavailable) {
            try await store.write { transaction throws(DomainError) in try transaction.applications().count }
        }
    }

    @Test("writes fields as it always did: an object of old is found by its text", arguments: UInt64(0)..<40)
    func fieldsText(seed: UInt64) async throws {
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        let application = try await TestWorld(store).makeApplication().id
        var source = ValueSource(state: seed)
        let fields = Dictionary(
            (0..<20).map { ("field \($0) \(source.text())", source.value(depth: 3)) }, uniquingKeysWith: { $1 })
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        let user = User(
            id: Identifier(rawValue: "user"), application: application, fields: fields, createdAt: now, updatedAt: now)
        let read = try await store.write { transaction throws(DomainError) in
            try transaction.insert(user)
            return try transaction.user(user.id, in: application)
        }
        #expect(read?.fields == fields)
        await store.close()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(try sqlite("SELECT fields FROM users") == String(decoding: try encoder.encode(fields), as: UTF8.self))
    }

    /// Runs a statement over a connection of the test's own; the first column of the first row.
    private func sqlite(_ statement: String) throws -> String? {
        var handle: OpaquePointer?
        try #require(sqlite3_open(file, &handle) == SQLITE_OK)
        defer { sqlite3_close(handle) }
        var prepared: OpaquePointer?
        try #require(sqlite3_prepare_v2(handle, statement, -1, &prepared, nil) == SQLITE_OK)
        defer { sqlite3_finalize(prepared) }
        guard sqlite3_step(prepared) == SQLITE_ROW else { return nil }
        return sqlite3_column_text(prepared, 0).map { String(cString: $0) }
    }
}

/// Draws JSON values, the same for the same seed.
private struct ValueSource {
    var state: UInt64

    private static let pieces = [
        "a", "B", "z", "10", "9", " ", "/", "\"", "\\", "\u{1}", "\u{8}", "\n", "\u{1f}", "\u{7f}", "é", "e\u{301}",
        "ß", "あ",
        "ｱ", "語", "👋", "\u{2028}", "_", "-",
    ]

    private mutating func draw(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }

    mutating func text() -> String {
        (0..<draw(6)).map { _ in Self.pieces[draw(Self.pieces.count)] }.joined()
    }

    mutating func value(depth: Int) -> JSONValue {
        switch draw(depth > 0 ? 8 : 6) {
        case 0: return nil
        case 1: return .bool(draw(2) == 0)
        case 2: return .integer(Int64(draw(2_000_000)) - 1_000_000)
        case 3: return .number(Double(draw(1_000_000)) * [0.001, 1e-9, 1e17, 0.5, -2.5][draw(5)] + 0.25)
        case 4, 5: return .string(text())
        case 6: return .array((0..<draw(5)).map { _ in value(depth: depth - 1) })
        default:
            return .object(
                Dictionary((0..<draw(6)).map { _ in (text(), value(depth: depth - 1)) }, uniquingKeysWith: { $1 }))
        }
    }
}

extension SQLiteStore {
    /// What the writing connection answers to `PRAGMA synchronous`: 2 is FULL.
    fileprivate func settings() async throws -> [String] {
        try await write { transaction throws(DomainError) in
            guard let transaction = transaction as? SQLTransaction else { throw .storageUnavailable }
            return try transaction.connection.rows("PRAGMA synchronous", []) { row throws(DomainError) in row.text(0) }
        }
    }
}
