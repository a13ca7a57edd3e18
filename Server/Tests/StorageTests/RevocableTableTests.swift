import CSQLite
import Domain
import Foundation
import Storage
import StoragePostgreSQL
import TestPostgreSQL
import Testing

@testable import StorageSQLite

/// What ends in a table after a backup ends in the restored database too, whichever table it is (decision 0110).
@Suite("Tables and what a restore must not bring back", .serialized)
struct RevocableTableTests {
    /// Why the rows of these may come back with a backup.
    private static let others = [
        "audit_entries": "Entries are only added; the log goes on from the backup's head.",
        "audit_heads": "The head belongs to the entries.",
        "event_deliveries": "Events are delivered at least once; they name themselves.",
        "event_streams": "A restore lets positions go on behind all that were given.",
        "events": "What happened has happened.",
        "figures": "Counts for statistics.",
        "identifiers": "Addresses and names return to the backup's, as the documents say.",
        "imported_tokens": "A row keeps a token out that an import brought; only more of them come back.",
        "log_in_failures": "Counts of attempts, which time brings down too.",
        "mail_outbox": "Mails of development, for people to look at.",
        "mail_queue": "A mail may come twice; the codes in it are in mailed_codes.",
        "password_schemes": "Which forms of hashes there may be.",
        "proof_times": "A restore writes its own time, and refuses each proof that was made before.",
        "provider_revocations": "A provider hears twice that a grant ended.",
        "rate_limits": "Counts of requests within minutes.",
        "removed_device_keys": "Words for a device that is refused; the key itself is in identities.",
        "used_proofs": "A restore refuses each proof that was made before it: see proof_times.",
    ]
    private static let application = "QXIYd00000000001"
    private static let now = Timestamp(milliseconds: 1_795_252_542_000)

    @Test("is either ended by the journal or has a reason, for every table of the schema")
    func everyTable() throws {
        let shapes = try SQLiteTables.ofMigrations()
        let revocable = Set(RevocableTable.all.map(\.name))
        #expect(revocable.count == RevocableTable.all.count)
        #expect(revocable.isDisjoint(with: Self.others.keys))
        #expect(revocable.union(Self.others.keys).sorted() == shapes.map(\.name).sorted())
        for table in RevocableTable.all {
            let columns = Set(try #require(shapes.first { $0.name == table.name }).columns.map(\.name))
            let named = (table.namingColumns ?? []) + table.endingColumns + table.carriedColumns
            #expect(columns.isSuperset(of: named), "\(table.name)")
        }
    }

    @Test("ends in a restored database with every row that was removed or replaced, and has what is carried: SQLite")
    func sqlite() throws {
        let shapes = try SQLiteTables.ofMigrations()
        let history = History(shapes, .sqlite)
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let path = SQLiteStore.databasePath(in: folder.path)
        let connection = try open(path, SQLITE_OPEN_CREATE)
        try SQLiteSetUp.prepareWriter(connection)
        for statement in history.before { try connection.execute(statement) }
        let copy = folder.path + "/copy.sqlite"
        try connection.execute("VACUUM INTO '\(copy)'")
        _ = try RevocationSegments(folder: folder.path).begin(lineage: "0a1b2c3d")
        let journal = RevocationJournal(folder: folder.path, patience: .seconds(10))
        try journal.begin(on: connection)
        for statement in history.after { try connection.execute(statement) }
        let lines = try journal.take(from: connection).lines
        connection.close()

        let replay = try RevocationReplay(path: copy)
        try replay.apply(lines.map { RevocationLine.sealed($0) + "\n" }.joined())
        try replay.finish(at: Self.now)
        #expect(!replay.isDamaged)
        let restored = try SQLiteTables(path: copy)
        for (question, expected) in history.expected {
            let found = try restored.rows(question, [], maximumBytes: .max).first?.first
            guard case .integer(expected)? = found else {
                Issue.record("\(question) is \(String(describing: found)), not \(expected)")
                continue
            }
        }
    }

    @Test(
        "waits in the database on its way to the journal, unless a device's next log-in has ended it",
        arguments: [
            ("UPDATE sessions SET id = 'next', token_digest = x'02'", false),
            ("UPDATE sessions SET token_digest = x'02'", true),
            ("DELETE FROM sessions", true),
        ])
    func waitingRow(change: String, waits: Bool) throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let connection = try open(SQLiteStore.databasePath(in: folder.path), SQLITE_OPEN_CREATE)
        try SQLiteSetUp.prepareWriter(connection)
        _ = try RevocationSegments(folder: folder.path).begin(lineage: "0a1b2c3d")
        let journal = RevocationJournal(folder: folder.path, patience: .seconds(10))
        try journal.begin(on: connection)
        try connection.execute(
            """
            INSERT INTO sessions (application_id, user_id, slot, token_digest, id, protocol, method, created_at,
                last_used_at, expires_at)
            VALUES ('a', 'u', 'device', x'01', 'first', 'native', 'device_key', 1, 1, 2)
            """)
        try connection.execute(change)
        let group = try journal.take(from: connection)
        #expect(group.lines.count == 1)
        #expect((group.row != nil) == waits)
        try journal.append(group, on: connection)
        _ = try journal.take(from: connection)
        #expect(try PendingRevocations.lines(on: connection).isEmpty, "a later commit removes the row")
        connection.close()
    }

    @Test(
        "has what two processes changed in the order of their commits, where the first one writes its lines last",
        arguments: [false, true])
    func order(isRefused: Bool) throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let path = SQLiteStore.databasePath(in: folder.path)
        let connections = [try open(path, SQLITE_OPEN_CREATE), try open(path, 0)]
        for connection in connections { try SQLiteSetUp.prepareWriter(connection) }
        try connections[0].execute("INSERT INTO passwords (application_id, user_id, hash) VALUES ('a', 'u', 'first')")
        let segments = RevocationSegments(folder: folder.path)
        let segment = try segments.begin(lineage: "0a1b2c3d")
        let journals = (0..<2).map { _ in RevocationJournal(folder: folder.path, patience: .seconds(10)) }
        func commit(_ hash: String, by number: Int) throws -> RevocationJournal.Group {
            try journals[number].begin(on: connections[number])
            try connections[number].execute("BEGIN IMMEDIATE")
            try connections[number].execute("UPDATE passwords SET hash = '\(hash)'")
            let group = try journals[number].take(from: connections[number])
            try connections[number].execute("COMMIT")
            return group
        }
        func point(to target: String) throws {
            let link = RevocationSegments.openSegment(in: folder.path)
            try FileManager.default.removeItem(atPath: link)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        }
        let older = try commit("older", by: 0)
        if isRefused {
            // A folder: nothing can be written there.
            try point(to: folder.path)
            #expect(throws: DomainError.storageUnavailable) { try journals[0].append(older, on: connections[0]) }
            try point(to: segment)
        }
        let newer = try commit("newer", by: 1)
        try journals[1].append(newer, on: connections[1])
        if isRefused {
            try journals[0].begin(on: connections[0])
        } else {
            try journals[0].append(older, on: connections[0])
        }
        for connection in connections { connection.close() }

        let lines = try String(contentsOfFile: segments.path(of: segment), encoding: .utf8).split(separator: "\n")
        #expect(lines.map { String($0) } == (older.lines + newer.lines).map { RevocationLine.sealed($0) })
    }

    @Test(
        "ends in a restored database with every row that was removed or replaced, and has what is carried: PostgreSQL")
    func postgreSQL() async throws {
        let history = History(try SQLiteTables.ofMigrations(), .postgresql)
        let cluster = try await TestPostgreSQL.cluster()
        let (old, new) = (try await cluster.makeMigratedDatabase(), try await cluster.makeMigratedDatabase())
        for database in [old, new] {
            _ = try await cluster.run(history.before.joined(separator: "; "), in: database)
        }
        let (source, target) = (try cluster.address(old), try cluster.address(new))
        try await offThread {
            let journal = try PostgreSQLJournal(source)
            try journal.install()
            try journal.begin("0a1b2c3d-00000001", behind: try PostgreSQLSnapshot(of: source))
        }
        _ = try await cluster.run(history.after.joined(separator: "; "), in: old)
        try await offThread {
            let journal = try PostgreSQLJournal(source)
            let lines = try journal.lines(of: "0a1b2c3d-00000001", after: 0).lines
            // Those that are longer than what is read at once come one by one.
            var pages: [[String]] = []
            var page = try journal.lines(of: "0a1b2c3d-00000001", after: 0, bytes: 1)
            while !page.lines.isEmpty, pages.count < lines.count {
                pages.append(page.lines)
                page = try journal.lines(of: "0a1b2c3d-00000001", after: page.last, bytes: 1)
            }
            #expect(pages == lines.map { [$0] } && page.lines.isEmpty)
            let restoration = try PostgreSQLRestoration(target)
            try restoration.begin()
            try restoration.apply(lines.map { $0 + "\n" }.joined())
            _ = try restoration.finish(at: Self.now)
            #expect(!restoration.isDamaged)
        }
        for (question, expected) in history.expected {
            #expect(try await cluster.run(question, in: new) == [["\(expected)"]], "\(question)")
        }
    }

    @Test(
        "are noted anew, also with the schema, beside nodes that use two tables in another order: PostgreSQL",
        .timeLimit(.minutes(2)))
    func deadlock() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeMigratedDatabase()
        let address = try cluster.address(database)
        @Sendable func isLocked(_ table: String, _ mode: String) -> String {
            "SELECT 1 FROM pg_locks WHERE relation = '\(table)'::regclass AND mode = '\(mode)' AND granted"
        }
        // PostgreSQL ends who has waited for the other for a second: never the node.
        @Sendable func node(_ mode: String) async throws {
            try await cluster.run(
                """
                SET deadlock_timeout = '1h'; BEGIN; LOCK TABLE event_endpoints IN ROW EXCLUSIVE MODE;
                DO $$ BEGIN
                    WHILE NOT EXISTS (\(isLocked("sessions", mode))) LOOP PERFORM pg_sleep(0.01); END LOOP;
                END $$;
                LOCK TABLE sessions IN ROW EXCLUSIVE MODE; COMMIT
                """, in: database)
        }
        func untilNode() async throws {
            let question = isLocked("event_endpoints", "RowExclusiveLock")
            while try await cluster.run(question, in: database).isEmpty {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        async let first: Void = node("ShareRowExclusiveLock")
        try await untilNode()
        try await offThread { try PostgreSQLJournal(address).install() }
        try await first
        // What notes less than it should is made anew with the schema.
        _ = try await cluster.run("DROP FUNCTION okaeri_note_providers_changed() CASCADE", in: database)
        async let second: Void = node("AccessExclusiveLock")
        try await untilNode()
        _ = try await offThread { try PostgreSQLMigration(address, isRehearsal: false) }
        try await second
    }

    @Test(
        "hold up no node behind a program that reads one for long, while they are noted anew: PostgreSQL",
        .timeLimit(.minutes(2)), arguments: [true, false])
    func reader(isMigration: Bool) async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeMigratedDatabase()
        let address = try cluster.address(database)
        try await offThread { try PostgreSQLJournal(address).install() }
        try await cluster.run("DROP FUNCTION okaeri_note_providers_changed() CASCADE", in: database)
        func until(_ lock: String) async throws {
            let question = "SELECT 1 FROM pg_locks WHERE relation = 'users'::regclass AND \(lock)"
            while try await cluster.run(question, in: database).isEmpty {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        // As `pg_dump` does. It ends when a node has gone on.
        async let reading = cluster.run(
            """
            BEGIN; LOCK TABLE users IN ACCESS SHARE MODE;
            DO $$ BEGIN
                WHILE NOT EXISTS (SELECT 1 FROM pg_class WHERE relname = 'went_on') LOOP
                    PERFORM pg_sleep(0.01);
                END LOOP;
            END $$; COMMIT
            """, in: database)
        try await until("mode = 'AccessShareLock' AND granted")
        async let change: Void = offThread {
            if isMigration {
                _ = try PostgreSQLMigration(address, isRehearsal: false)
            } else {
                try PostgreSQLJournal(address).install()
            }
        }
        try await until("mode = 'AccessExclusiveLock' AND NOT granted")
        try await cluster.run("SELECT COUNT(*) FROM users; CREATE TABLE went_on ()", in: database)
        _ = try await reading
        try await change
    }

    private func open(_ path: String, _ flags: Int32) throws -> SQLiteConnection {
        try SQLiteConnection(path: path, flags: SQLITE_OPEN_READWRITE | flags) { Issue.record("\($0)") }
    }

    /// Rows of every table, what becomes of them after the backup, and what must be found after the restore.
    ///
    /// In each table row 1 is changed where changes are carried, row 2 removed, and a row for each column replaced whose change
    /// ends a row. Rows of the same number have nothing to do with each other. A user has two roles, and loses one.
    private struct History {
        private(set) var before: [String] = []
        private(set) var after: [String] = []
        private(set) var expected: [(question: String, answer: Int64)] = []
        private let dialect: Dialect

        init(_ shapes: [TableShape], _ dialect: Dialect) {
            self.dialect = dialect
            for shape in shapes {
                guard let table = RevocableTable.all.first(where: { $0.name == shape.name }) else {
                    before.append(insertion(1, of: shape))
                    continue
                }
                for number in 1...2 + table.endingColumns.count { before.append(insertion(number, of: shape)) }
                for column in table.carriedColumns {
                    change(column, of: shape, 1)
                    ask("SELECT COUNT(*) FROM \(shape.name) WHERE \(column) = \(value(shape, column, 99))", 1)
                }
                after.append("DELETE FROM \(shape.name) WHERE \(row(2, of: shape))")
                for (index, column) in table.endingColumns.enumerated() { change(column, of: shape, 3 + index) }
                // A row is found by its new key where that is carried.
                let isRenamed = table.carriedColumns.contains { shape.key.contains($0) }
                ask("SELECT COUNT(*) FROM \(shape.name) WHERE \(row(1, of: shape))", isRenamed ? 0 : 1)
                for number in 2...2 + table.endingColumns.count {
                    ask("SELECT COUNT(*) FROM \(shape.name) WHERE \(row(number, of: shape))", 0)
                }
            }
            roles(of: shapes)
        }

        private mutating func roles(of shapes: [TableShape]) {
            guard let users = shapes.first(where: { $0.name == "users" }) else { return }
            let of = ("users.application_id.1", "users.id.1")
            after.removeAll { $0.hasPrefix("UPDATE users SET grants") }
            before.append("UPDATE users SET grants = 'editor staff' WHERE \(row(1, of: users))")
            for role in ["editor", "staff"] {
                before.append("INSERT INTO members VALUES ('\(of.0)', '\(role)', '\(of.1)')")
            }
            after.append("DELETE FROM members WHERE grant_id = 'editor'")
            after.append("UPDATE users SET grants = 'staff' WHERE \(row(1, of: users))")
            ask("SELECT COUNT(*) FROM users WHERE grants = 'staff'", 1)
            ask("SELECT COUNT(*) FROM members WHERE user_id = '\(of.1)'", 1)
        }

        private mutating func ask(_ question: String, _ answer: Int64) { expected.append((question, answer)) }

        private mutating func change(_ column: String, of shape: TableShape, _ number: Int) {
            after.append(
                "UPDATE \(shape.name) SET \(column) = \(value(shape, column, 98 + number)) "
                    + "WHERE \(row(number, of: shape))"
            )
        }

        private func insertion(_ number: Int, of shape: TableShape) -> String {
            let values = shape.columns.map { value(shape, $0.name, number) }
            return "INSERT INTO \(shape.name) (\(shape.columns.map(\.name).joined(separator: ", "))) "
                + "VALUES (\(values.joined(separator: ", ")))"
        }

        private func row(_ number: Int, of shape: TableShape) -> String {
            shape.key.map { "\($0) = \(value(shape, $0, number))" }.joined(separator: " AND ")
        }

        private func value(_ shape: TableShape, _ column: String, _ number: Int) -> String {
            switch (shape.columns.first { $0.name == column }?.kind, dialect) {
            case (.integer?, _): "\(number)"
            case (.bytes?, .sqlite): "x'\(String(repeating: "\(100 + number)0", count: 16))'"
            case (.bytes?, .postgresql): "decode('\(String(repeating: "\(100 + number)0", count: 16))', 'hex')"
            default: "'\(shape.name).\(column).\(number)'"
            }
        }
    }
}
