import Domain
import Storage
import Testing

/// The step that gives all keys of used proofs one format, on databases as the step before left them.
@Suite("Databases from before keys of used proofs had one format", .serialized)
struct UsedProofMigrationTests {
    private static let database = DatabaseBeforeStep(step: 19, rows: rows, check: check)
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

    /// What there was at that step; kinds that came later had no key of the old format.
    private static let kinds = UsedProof.Kind.allCases.filter {
        ![.providerRetry, .passkeyChallenge, .firstLaunchChallenge].contains($0)
    }

    private static func check(_ store: any Engine) async throws {
        let (used, unused) = try await store.read { transaction throws(DomainError) in
            var (used, unused) = ([Bool](), [Bool]())
            for kind in kinds {
                used.append(try transaction.wasUsed(UsedProof(kind, digest, until: end), in: application))
                unused.append(try transaction.wasUsed(UsedProof(kind, Self.unused, until: end), in: application))
            }
            return (used, unused)
        }
        #expect(used == kinds.map { _ in true })
        #expect(unused == kinds.map { _ in false })
    }

    @Test("remember what was used, on SQLite")
    func sqlite() async throws { try await Self.database.openInSQLite() }

    @Test("remember what was used, on PostgreSQL")
    func postgreSQL() async throws { try await Self.database.openInPostgreSQL() }
}
