import CSQLite
import Domain
import Foundation
import Storage
import StoragePostgreSQL
import TestPostgreSQL
import TestWorld
import Testing

@testable import StorageSQLite

/// Copies between both engines, without the program around them.
@Suite("A copy of all tables", .serialized)
struct TableCopyTests {
    enum Kind: CaseIterable {
        case sqlite, postgreSQL
    }

    /// A database of either engine. The folder of an embedded one goes with it.
    private enum Location {
        case folder(TemporaryFolder)
        case database(PostgreSQLAddress)

        static func new(_ kind: Kind) async throws -> Location {
            guard kind == .postgreSQL else { return .folder(TemporaryFolder()) }
            let cluster = try await TestPostgreSQL.cluster()
            return .database(try cluster.address(try await cluster.makeDatabase()))
        }

        func reader() throws(TableFault) -> any TableReader {
            switch self {
            case .folder(let folder): try SQLiteTables.snapshot(of: folder.path)
            case .database(let address): try PostgreSQLTables.snapshot(of: address)
            }
        }

        func writer() throws(TableFault) -> any TableWriter {
            switch self {
            case .folder(let folder): try SQLiteTableWriter(folder: folder.path)
            case .database(let address): try PostgreSQLTableWriter(address)
            }
        }
    }

    /// Handed from the thread that opened it to the test, and used by one of them at a time.
    private struct Opened: @unchecked Sendable {
        let reader: any TableReader
    }

    /// Stops behind some pages, as a process that is killed does.
    private struct StoppedWriter: TableWriter {
        let writer: any TableWriter
        let pages: Countdown

        final class Countdown {
            var left: Int
            init(_ count: Int) { left = count }
        }

        var written: any TableReader { writer.written }
        func begin(_ shapes: [TableShape]) throws(TableFault) -> Bool { try writer.begin(shapes) }
        func empty(_ shape: TableShape) throws(TableFault) { try writer.empty(shape) }
        func finish() throws(TableFault) { try writer.finish() }

        func append(_ rows: [[Value]], to shape: TableShape) throws(TableFault) {
            guard pages.left > 0 else { throw TableFault("stopped") }
            pages.left -= 1
            try writer.append(rows, to: shape)
        }
    }

    private func copy(
        from source: Location, to target: Location, pages: Int = .max
    ) async throws -> (rows: [String: Int], wasResumed: Bool) {
        let (report, last) = try await offThread { () throws -> (TableCopy.Report, TableCopy.Progress?) in
            let writer = StoppedWriter(writer: try target.writer(), pages: .init(pages))
            var last: TableCopy.Progress?
            let copy = TableCopy(from: try source.reader(), to: writer) { last = $0 }
            return (try copy(SQLiteTables.ofMigrations()), last)
        }
        if let last { #expect(last.isComparing && last.rows == last.allRows) }
        return (Dictionary(report.tables.map { ($0.name, $0.rows) }) { $1 }, report.wasResumed)
    }

    // MARK: Contents

    private func newInstallation() async throws -> TemporaryFolder {
        let folder = TemporaryFolder()
        await (try SQLiteStore(.folder(folder.path), role: .server)).close()
        return folder
    }

    private func execute(_ statements: String, in folder: TemporaryFolder) throws {
        let connection = try SQLiteConnection(
            path: folder.path + "/okaeri.sqlite", flags: SQLITE_OPEN_READWRITE
        ) { fault in Issue.record("\(fault)") }
        defer { connection.close() }
        try connection.execute(statements)
    }

    /// Rows in every table, with what a type can hold at its ends, and nulls wherever they may be.
    private func fillEveryTable(_ folder: TemporaryFolder) throws {
        for shape in try SQLiteTables.ofMigrations() {
            let nullable = try SQLiteTables(folder: folder.path).rows(
                "SELECT name FROM pragma_table_info($1) WHERE \"notnull\" = 0 AND pk = 0", [.text(shape.name)],
                maximumBytes: .max)
            let optional = Set(
                nullable.compactMap { row in if case .text(let name)? = row.first { name } else { nil } })
            for number in 1...4 {
                let values = shape.columns.enumerated().map { position, column in
                    if number == 4, optional.contains(column.name) { return "NULL" }
                    return Self.literal(column, of: shape.name, number, position)
                }
                try execute(
                    "INSERT INTO \(shape.name) (\(shape.columnList)) VALUES (\(values.joined(separator: ",")))",
                    in: folder)
            }
        }
    }

    private static func literal(_ column: TableShape.Column, of table: String, _ number: Int, _ position: Int) -> String
    {
        switch column.kind {
        case .text:
            // Two spellings of one letter, what SQL and COPY have marks of their own for, letters of four bytes.
            [
                "'\(column.name) \(number) é'", "'\(column.name) e\u{301} ''\\N'", "'{\"a\\u0000\": [\"はな\", \"😀\"]}'",
                "''",
            ][
                number - 1]
        case .bytes: ["x'00ff\(position + 10)'", "x'27'", "x'00ff\(position + 10)00'", "x''"][number - 1]
        // The one column with fewer bits in PostgreSQL.
        case .integer where table == "proof_times" && column.name == "id": "\(number)"
        case .integer:
            ["\(Int64.max - Int64(position))", "\(Int64.min + Int64(position))", "0", "1"][number - 1]
        case .other: "NULL"
        }
    }

    /// Every value of every table in the engine's own words, without anything of what copies.
    private func contents(_ folder: TemporaryFolder) throws -> [String: [String]] {
        let tables = try SQLiteTables(folder: folder.path)
        var all: [String: [String]] = [:]
        for shape in try SQLiteTables.ofMigrations() {
            let values = shape.columns.map { "typeof(\($0.name)) || ':' || hex(\($0.name))" }.joined(
                separator: " || ',' || ")
            let rows = try tables.rows(
                "SELECT \(values) FROM \(shape.name) ORDER BY \(shape.key.joined(separator: ", "))", [],
                maximumBytes: .max)
            all[shape.name] = rows.map { "\($0)" }
        }
        return all
    }

    // MARK: Tests

    @Test("carries every value of every table from SQLite over PostgreSQL and PostgreSQL to SQLite and SQLite")
    func roundTrip() async throws {
        let first = try await newInstallation()
        try fillEveryTable(first)
        let before = try contents(first)
        #expect(before.count >= 41 && before.values.allSatisfy { $0.count == 4 })
        let (second, third) = (TemporaryFolder(), TemporaryFolder())
        let databases = [try await Location.new(.postgreSQL), try await Location.new(.postgreSQL)]
        let ways: [Location] = [.folder(first), databases[0], databases[1], .folder(second), .folder(third)]
        for (source, target) in zip(ways, ways.dropFirst()) {
            let report = try await copy(from: source, to: target)
            #expect(
                report.rows.values.allSatisfy { $0 == 4 } && report.rows.count == before.count && !report.wasResumed)
        }
        for folder in [second, third] {
            let after = try contents(folder)
            for (table, rows) in before { #expect(after[table] == rows, "\(table)") }
            #expect(after.count == before.count)
        }
        // What was made is a database that a server takes.
        await (try SQLiteStore(.folder(third.path), role: .command)).close()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: third.path).allSatisfy { !$0.contains("unfinished") })
    }

    @Test("goes on where it stopped, and begins a table anew that changed in between", arguments: Kind.allCases)
    func resumed(kind: Kind) async throws {
        let source = try await newInstallation()
        try fillEveryTable(source)
        let target = try await Location.new(kind)
        await #expect(throws: TableFault("stopped")) { try await copy(from: .folder(source), to: target, pages: 12) }
        if case .folder(let folder) = target {
            #expect(throws: SQLiteOpenFault.self) { try SQLiteStore(.folder(folder.path), role: .command) }
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/okaeri.sqlite"))
        }
        // Nobody copies on from a half.
        await #expect(throws: TableFault.self) { try await copy(from: target, to: .folder(TemporaryFolder())) }
        try execute(
            """
            UPDATE applications SET name = 'changed'; DELETE FROM admins;
            UPDATE admin_keys SET digest = CAST(digest || x'01' AS BLOB), expires_at = 7
            """, in: source)
        let report = try await copy(from: .folder(source), to: target)
        #expect(report.wasResumed && report.rows["admins"] == 0 && report.rows["applications"] == 4)
        let back = TemporaryFolder()
        _ = try await copy(from: target, to: .folder(back))
        #expect(try contents(back) == contents(source))
    }

    @Test("refuses a target that holds something, and changes nothing there")
    func occupied() async throws {
        let source = try await newInstallation()
        let (cluster, folder) = (try await TestPostgreSQL.cluster(), try await newInstallation())
        await #expect(throws: TableFault.self) { try await copy(from: .folder(source), to: .folder(folder)) }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.contains("unfinished") })
        // As an older program left it: it is not brought up to date either.
        let database = try await cluster.makeDatabase()
        try await cluster.run(
            "CREATE TABLE applications (id TEXT); INSERT INTO applications VALUES ('a')", in: database)
        let address = try cluster.address(database)
        await #expect(throws: TableFault.self) { try await copy(from: .folder(source), to: .database(address)) }
        let tables = try await cluster.run(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace", in: database)
        #expect(tables == [["applications"]])
    }

    @Test(
        "says row and column of a value that one side cannot hold, whatever SQLite has taken",
        arguments: [
            ("display_name = 'a' || char(0) || 'b'", "display_name holds a text with U+0000"),
            ("display_name = CAST(x'61ff' AS TEXT)", "display_name holds bytes that are no text in UTF-8"),
            ("created_at = 1.5", "created_at holds a value that is no whole number"),
            ("created_at = 'soon'", "created_at holds a value that is no whole number"),
        ])
    func unstorable(change: String, words: String) async throws {
        let source = try await newInstallation()
        try execute(
            """
            INSERT INTO users (application_id, id, created_at, updated_at) VALUES ('app', 'it''s', 1, 1), ('app', 'z', 1, 1);
            UPDATE users SET \(change) WHERE id = 'it''s'
            """, in: source)
        let target = try await Location.new(.postgreSQL)
        let fault = await #expect(throws: TableFault.self) { try await copy(from: .folder(source), to: target) }
        let text = try #require(fault).description
        #expect(text.contains(words) && text.contains("table users"), "\(text)")
        #expect(text.contains("application_id = 'app' AND id = 'it''s'"), "\(text)")
    }

    @Test("reads one state, whatever is written meanwhile", arguments: Kind.allCases)
    func snapshot(kind: Kind) async throws {
        let source = try await newInstallation()
        let location: Location
        if kind == .sqlite {
            location = .folder(source)
        } else {
            location = try await Location.new(kind)
            _ = try await copy(from: .folder(source), to: location)
        }
        let statement = "INSERT INTO audit_heads (application_id, number, digest, seal) VALUES ('a', 1, '', '')"
        let reader = try await offThread { Opened(reader: try location.reader()) }.reader
        switch location {
        case .folder(let folder): try execute(statement, in: folder)
        case .database(let address): try await TestPostgreSQL.cluster().run(statement, in: address.database)
        }
        let shape = try #require(try SQLiteTables.ofMigrations().first { $0.name == "audit_heads" })
        #expect(try reader.count(shape) == 0)
    }

    @Test("has no more of large rows in memory than is allowed, and one row at least", arguments: Kind.allCases)
    func largeRows(kind: Kind) async throws {
        let source = try await newInstallation()
        let numbers = "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 300)"
        try execute(
            """
            \(numbers) INSERT INTO users (application_id, id, fields, created_at, updated_at)
            SELECT 'app', printf('%03d', n), printf('%.*c', 60000, 'x'), n, n FROM numbers
            """, in: source)
        var location = Location.folder(source)
        if kind == .postgreSQL {
            location = try await Location.new(kind)
            #expect(try await copy(from: .folder(source), to: location).rows["users"] == 300)
        }
        let counts = try await offThread { [location] () throws -> [Int] in
            guard let shape = try SQLiteTables.ofMigrations().first(where: { $0.name == "users" }) else { return [] }
            let reader = try location.reader()
            return try [1_000_000, 1].map { try reader.page(of: shape, after: nil, limit: 300, maximumBytes: $0).count }
        }
        #expect(counts == [16, 1])
        let back = TemporaryFolder()
        #expect(try await copy(from: location, to: .folder(back)).rows["users"] == 300)
    }

    @Test("does not read from PostgreSQL while a node serves it, whichever roles the two have")
    func inUse() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeMigratedDatabase()
        let store = try await cluster.store(on: database)
        let role = "reader_\(database)"
        try await cluster.run(
            "CREATE ROLE \(role) LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role)", in: database)
        let other = try #require(PostgreSQLAddress(cluster.networkURL(database, user: role)))
        for address in [try cluster.address(database), other] {
            let fault = await #expect(throws: TableFault.self) {
                try await copy(from: .database(address), to: .folder(TemporaryFolder()))
            }
            #expect(fault?.description.contains("is in use") == true, "\(String(describing: fault))")
        }
        await store.close()
    }

    @Test("takes no device proof a second time that a server on SQLite took in memory")
    func proofs() async throws {
        let (folder, clock, device) = (TemporaryFolder(), StandingClock(), TestDevice())
        let old = try SQLiteStore(.folder(folder.path), role: .server)
        let world = try TestWorld(old, clock: clock)
        let application = try await world.makeApplication()
        let proof = try device.presented(at: clock.now)
        let first = try await world.modules.logIns.logInAutomatically(
            .init(application: application, proof: proof, address: TestWorld.address))
        await old.close()
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeDatabase()
        _ = try await copy(from: .folder(folder), to: .database(try cluster.address(database)))

        let store = try await cluster.store(on: database)
        let node = try TestWorld(store, clock: clock, seed: 1)
        let fault = await #expect(throws: DomainError.self) {
            try await node.modules.logIns.logInAutomatically(
                .init(application: application, proof: proof, address: TestWorld.address))
        }
        #expect(fault?.code == .clockSkew)
        clock.advance(by: .seconds(2))
        let again = try await node.logIn(device, to: application)
        #expect(again.user.id == first.user.id)
        await store.close()
    }
}
