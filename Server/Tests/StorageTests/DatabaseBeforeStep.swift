import CSQLite
import Domain
import Foundation
import Storage
import StoragePostgreSQL
import TestPostgreSQL
import Testing

@testable import StorageSQLite

/// A database as the migrations before one step left it, with rows of that time. Opening it runs the step.
struct DatabaseBeforeStep: Sendable {
    let step: Int
    /// SQL statements with semicolons between them; the argument writes hexadecimal digits as the engine's bytes.
    let rows: @Sendable ((String) -> String) -> String
    let check: @Sendable (any Engine) async throws -> Void

    func openInSQLite() async throws {
        let folder = TemporaryFolder()
        try make(in: folder)
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        try await check(store)
        await store.close()
    }

    /// Makes the database in a folder, which has none.
    func make(in folder: TemporaryFolder) throws {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let old = try SQLiteConnection(
            path: folder.path + "/okaeri.sqlite", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        ) { fault in Issue.record("\(fault)") }
        try old.execute("CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL)")
        for step in Migration.all where step.version < self.step {
            for statement in step.sqlite { try old.execute(statement) }
            try old.execute("INSERT INTO schema_migrations (version, name) VALUES (\(step.version), 'x')")
        }
        try old.execute(rows { "x'\($0)'" })
        old.close()
    }

    func openInPostgreSQL() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeDatabase()
        var statements = [
            "CREATE TABLE schema_migrations (version BIGINT PRIMARY KEY, name TEXT COLLATE \"C\" NOT NULL)"
        ]
        for step in Migration.all where step.version < self.step {
            statements += step.postgresql
            statements.append("INSERT INTO schema_migrations (version, name) VALUES (\(step.version), 'x')")
        }
        statements.append(rows { "'\\x\($0)'" })
        try await cluster.run(statements.joined(separator: ";\n"), in: database)
        let address = try cluster.address(database)
        _ = try await offThread { try PostgreSQLMigration(address, isRehearsal: false) }
        let store = try await cluster.store(on: database)
        try await check(store)
        await store.close()
    }
}
