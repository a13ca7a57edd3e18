import CSQLite
import Domain
import Foundation
import enum OkaeriWire.JSONValue
import Storage
import StoragePostgreSQL
import TestPostgreSQL
import TestWorld
import Testing

@testable import StorageSQLite

/// Databases as released versions left them, in `Fixtures/`: SQL that a person can read. Each must come up to date, with
/// what it holds. A new version of the schema adds its own dump here when it is released.
@Suite("Schemas of the past", .serialized)
struct SchemaTests {
    static let versions = [1]

    @Test("come up to date on SQLite", arguments: versions)
    func sqlite(version: Int) async throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        // Not by SQLite's own `sqlite3_open`, which would be its first use in this process: see `SQLiteLibrary`.
        let old = try SQLiteConnection(
            path: folder.path + "/okaeri.sqlite", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        ) { fault in Issue.record("\(fault)") }
        try old.execute(try Self.dump("sqlite", version))
        old.close()
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        try await Self.check(store)
        await store.close()
        let fresh = TemporaryFolder()
        await (try SQLiteStore(.folder(fresh.path), role: .server)).close()
        #expect(try SQLiteTables(folder: folder.path).shapes() == SQLiteTables(folder: fresh.path).shapes())
    }

    @Test("say why they do not come up to date, as on a full disk, and not what the engine says of going back")
    func fullDisk() throws {
        let connection = try SQLiteConnection(path: ":memory:", flags: SQLITE_OPEN_READWRITE) { _ in }
        try connection.execute("PRAGMA max_page_count = 8")
        let fault = #expect(throws: SQLiteOpenFault.self) { try SQLiteSetUp.prepareWriter(connection) }
        #expect(fault?.description == "The database cannot be prepared: database or disk is full.")
        #expect(connection.isOutsideTransaction)
        connection.close()
    }

    @Test("come up to date on PostgreSQL", arguments: versions)
    func postgreSQL(version: Int) async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeDatabase()
        try await cluster.run(try Self.dump("postgresql", version), in: database)
        let address = try cluster.address(database)
        let migration = try await offThread { try PostgreSQLMigration(address, isRehearsal: false) }
        #expect(migration.before == version)
        let store = try await cluster.store(on: database)
        try await Self.check(store)
        await store.close()
        let fresh = try cluster.address(try await cluster.makeMigratedDatabase())
        #expect(
            try await offThread { try PostgreSQLTables(address).shapes() }
                == offThread { try PostgreSQLTables(fresh).shapes() })
    }

    @Test("describe the same tables in both engines, with keys that begin with the application")
    func bothEngines() async throws {
        let folder = TemporaryFolder()
        await (try SQLiteStore(.folder(folder.path), role: .server)).close()
        let cluster = try await TestPostgreSQL.cluster()
        let address = try cluster.address(try await cluster.makeMigratedDatabase())
        let (here, there) = (
            try SQLiteTables(folder: folder.path).shapes(),
            try await offThread { try PostgreSQLTables(address).shapes() }
        )
        #expect(here == there)
        #expect(Migration.tables.isSuperset(of: here.map(\.name)), "a node would not look whether it may use these")
        // These hold rows of the whole installation; everything else can be distributed by application.
        let ofAll: Set = [
            "admins", "admin_identities", "admin_keys", "admin_links", "admin_passkeys", "admin_sessions",
            "applications", "proof_times", "protocol_keys", "signing_keys",
        ]
        for shape in here where !ofAll.contains(shape.name) {
            #expect(shape.key.first == "application_id", "\(shape.name)")
        }
    }

    @Test("belong to whom the tables before belong also where a superuser makes them: the nodes could not use its own")
    func madeBySuperuser() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeDatabase()
        let owner = "owner_\(database)"
        var statements = [
            "CREATE ROLE \(owner) LOGIN", "GRANT ALL ON SCHEMA public TO \(owner)", "SET ROLE \(owner)",
            "CREATE TABLE schema_migrations (version BIGINT PRIMARY KEY, name TEXT COLLATE \"C\" NOT NULL)",
        ]
        for step in Migration.all where step.version <= 20 {
            statements += step.postgresql
            statements.append("INSERT INTO schema_migrations (version, name) VALUES (\(step.version), 'x')")
        }
        try await cluster.run(statements.joined(separator: ";\n"), in: database)
        let address = try cluster.address(database)
        _ = try await offThread { try PostgreSQLMigration(address, isRehearsal: false) }
        let owners = try await cluster.run(
            "SELECT DISTINCT tableowner::text FROM pg_tables WHERE schemaname = 'public'", in: database)
        #expect(owners == [[owner]])
    }

    @Test("compare texts by their bytes in PostgreSQL too, in which ids have an order in time")
    func collation() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let others = try await cluster.run(
            """
            SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
            JOIN pg_collation l ON l.oid = a.attcollation
            WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND l.collname <> 'C'
            """, in: try await cluster.makeMigratedDatabase())
        #expect(others == [], "these columns are compared by the rules of a language")
    }

    /// Hashes of every form, and texts that are none.
    private static let hashes = [
        "$2a$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e", "$2y$12$" + String(repeating: ".", count: 53),
        "$argon2id$v=19$m=19456,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$nfkj3u1fRTHCea+fVr03sWV770kp5wLOLoEakziKhqE",
        "$scrypt$ln=10,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$nfkj3u1fRTHCea+fVr03sWV770kp5wLOLoEakziKhqE",
        "$pbkdf2-sha1$i=1000$AAECAwQFBgcICQoLDA0ODw$ndhWw3a4srcTtr4HQFTLiKRlVuA",
        "$pbkdf2-sha256$1000$AAEC.wQF/gcICQoLDA0ODw$yRTMTwbMbo9G0VfjobWqerzuuxe7BETNTErBbKKumGQ", "weak:abc", "$",
    ]

    /// What the migration makes of passwords that were there before it.
    private static func schemes(_ store: any Engine, fills: Bool) async throws -> Set<PasswordScheme> {
        let application = Identifier<Application>(rawValue: "QXIYd00000000001")
        return try await store.write { transaction throws(DomainError) in
            for (number, hash) in hashes.enumerated() where fills {
                try transaction.setPassword(
                    PasswordHash(text: hash), of: Identifier(rawValue: "user \(number)"), in: application,
                    at: Timestamp(milliseconds: 0))
            }
            return try transaction.passwordSchemes(in: application)
        }
    }

    @Test("are given the schemes of the passwords that they hold, as new passwords note them")
    func passwordSchemes() async throws {
        let migration = try #require(Migration.all.first { $0.name == "password schemes" })
        let folder = TemporaryFolder()
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        let expected = try await Self.schemes(store, fills: true)
        #expect(expected.count == 6)
        await store.close()
        let old = try SQLiteConnection(path: folder.path + "/okaeri.sqlite", flags: SQLITE_OPEN_READWRITE) { fault in
            Issue.record("\(fault)")
        }
        try old.execute("DROP TABLE password_schemes")
        for statement in migration.sqlite { try old.execute(statement) }
        old.close()
        let migrated = try SQLiteStore(.folder(folder.path), role: .server)
        #expect(try await Self.schemes(migrated, fills: false) == expected)
        await migrated.close()
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeMigratedDatabase()
        let there = try await cluster.store(on: database)
        #expect(try await Self.schemes(there, fills: true) == expected)
        _ = try await cluster.run("DROP TABLE password_schemes", in: database)
        for statement in migration.postgresql { _ = try await cluster.run(statement, in: database) }
        #expect(try await Self.schemes(there, fills: false) == expected)
        await there.close()
    }

    private static func dump(_ engine: String, _ version: Int) throws -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")
        return try String(
            contentsOf: folder.appendingPathComponent("schema-\(version)-\(engine).sql"), encoding: .utf8)
    }

    /// What every dump holds.
    private static func check(_ store: any Engine) async throws {
        let token = SecretDigest(of: Array("token".utf8))
        let application = Identifier<Application>(rawValue: "QXIYd00000000001")
        let (found, applications) = try await store.read { transaction throws(DomainError) in
            (try transaction.session(token: token, in: application), try transaction.applications())
        }
        #expect(applications.map(\.name) == ["おかえり"])
        #expect(found?.user.displayName == "はな")
        #expect(found?.user.fields == ["score": 12])
        #expect(found?.user.identities.map(\.subject) == ["0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"])
        #expect(found?.session.device.model == "iPhone17,1")
    }
}
