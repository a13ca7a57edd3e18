import CSQLite
import Domain
import Foundation
import Storage
import StoragePostgreSQL
import TestPostgreSQL
import Testing

@testable import StorageSQLite

/// The step that gives all keys of used proofs one format, on databases as the step before left them.
@Suite("Databases from before keys of used proofs had one format", .serialized)
struct UsedProofMigrationTests {
    private static let step = 19
    private static let application = Identifier<Application>(rawValue: "A1")
    private static let end = Timestamp(milliseconds: 1_900_000_000_000)
    private static let digest = SecretDigest(of: [1])
    private static let unused = SecretDigest(of: [2])

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// A device proof, whose key began with its end, and something else, whose key was a digest alone.
    private static func rows(bytes: (String) -> String) -> String {
        let half = digest.bytes.prefix(16)
        return [end.orderedBytes + half, Array(half)].map { key in
            "INSERT INTO used_proofs (application_id, digest, ends_at) VALUES ('A1', \(bytes(hex(key))), \(end.milliseconds))"
        }.joined(separator: ";\n")
    }

    private static func check(_ store: any Engine) async throws {
        let (used, unused) = try await store.read { transaction throws(DomainError) in
            var (used, unused) = ([Bool](), [Bool]())
            for kind in UsedProof.Kind.allCases {
                used.append(try transaction.wasUsed(UsedProof(kind, digest, until: end), in: application))
                unused.append(try transaction.wasUsed(UsedProof(kind, Self.unused, until: end), in: application))
            }
            return (used, unused)
        }
        #expect(used == UsedProof.Kind.allCases.map { _ in true })
        #expect(unused == UsedProof.Kind.allCases.map { _ in false })
    }

    @Test("remember what was used, on SQLite")
    func sqlite() async throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let old = try SQLiteConnection(
            path: folder.path + "/okaeri.sqlite", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        ) { fault in Issue.record("\(fault)") }
        try old.execute("CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL)")
        for step in Migration.all where step.version < Self.step {
            for statement in step.sqlite { try old.execute(statement) }
            try old.execute("INSERT INTO schema_migrations (version, name) VALUES (\(step.version), 'x')")
        }
        try old.execute(Self.rows { "x'\($0)'" })
        old.close()
        let store = try SQLiteStore(.folder(folder.path), role: .server)
        try await Self.check(store)
        await store.close()
    }

    @Test("remember what was used, on PostgreSQL")
    func postgreSQL() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeDatabase()
        var statements = [
            "CREATE TABLE schema_migrations (version BIGINT PRIMARY KEY, name TEXT COLLATE \"C\" NOT NULL)"
        ]
        for step in Migration.all where step.version < Self.step {
            statements += step.postgresql
            statements.append("INSERT INTO schema_migrations (version, name) VALUES (\(step.version), 'x')")
        }
        statements.append(Self.rows { "'\\x\($0)'" })
        try await cluster.run(statements.joined(separator: ";\n"), in: database)
        let address = try cluster.address(database)
        _ = try await offThread { try PostgreSQLMigration(address, isRehearsal: false) }
        let store = try await cluster.store(on: database)
        try await Self.check(store)
        await store.close()
    }
}
