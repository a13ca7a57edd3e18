import Domain
import Storage
import Testing

/// The step that gives keys of the admin API to their makers, on databases as the step before left them.
@Suite("Databases from before keys belonged to admins", .serialized)
struct AdminKeyMigrationTests {
    private static let database = DatabaseBeforeStep(step: 18, rows: rows, check: check)

    /// One application without NCMB, one that never touched its rules, one that touched others, and two that chose.
    private static func rows(bytes: (String) -> String) -> String {
        let applications = [
            ("none", "{}", false), ("plain", #"{"proofRequired": true}"#, true),
            ("others", #"{"foreignOptions": {"ncmb": {"hosts": ["a"]}, "kii": {"demandsVerifiedEmail": true}}}"#, true),
            ("refusing", #"{"foreignOptions": {"ncmb": {"takesPasswordsInAddresses": false}}}"#, true),
            ("taking", #"{"foreignOptions": {"ncmb": {"takesPasswordsInAddresses": true}}}"#, true),
        ]
        var statements: [String] = []
        for (id, settings, hasNCMB) in applications {
            statements.append(
                """
                INSERT INTO applications (id, name, admin_key_digest, settings, created_at)
                VALUES ('\(id)', 'App', \(bytes(String(repeating: "00", count: 32))), '\(settings)', 1)
                """)
            if hasNCMB {
                statements.append(
                    "INSERT INTO protocol_keys (protocol, public_key, application_id, keys) VALUES ('ncmb', 'k\(id)', '\(id)', '{}')"
                )
            }
        }
        statements.append(
            """
            INSERT INTO admins (id, name, folded_name, role, last_totp_step, recovery_digests, created_at, updated_at)
            VALUES ('A1', 'Hana', 'hana', 'owner', 0, \(bytes("")), 1, 1)
            """)
        for (number, name) in [(1, "Hana"), (2, "Gone")] {
            statements.append(
                """
                INSERT INTO admin_keys (digest, id, name, scopes, created_by, created_at, expires_at)
                VALUES (\(bytes(String(repeating: "0\(number)", count: 32))), 'K\(number)', 'CI', 'users:read', '\(name)', 1, 9)
                """)
        }
        return statements.joined(separator: ";\n")
    }

    private static func check(_ store: any Engine) async throws {
        let (keys, applications) = try await store.read { transaction throws(DomainError) in
            (try transaction.adminKeys(), try transaction.applications())
        }
        // A key whose maker is gone has ended.
        #expect(keys.map(\.id.rawValue) == ["K1"] && keys.map(\.maker.id.rawValue) == ["A1"])
        let taking = applications.filter {
            $0.settings.foreignOptions(of: .init(rawValue: "ncmb")).takesPasswordsInAddresses
        }
        #expect(Set(taking.map(\.id.rawValue)) == ["plain", "others", "taking"])
        let others = try #require(applications.first { $0.id.rawValue == "others" }).settings
        #expect(
            others.foreignOptions(of: .init(rawValue: "ncmb")).hosts == ["a"]
                && others.foreignOptions(of: .init(rawValue: "kii")).demandsVerifiedEmail)
        #expect(applications.first { $0.id.rawValue == "plain" }?.settings.proofRequired == true)
        #expect(applications.first { $0.id.rawValue == "none" }?.settings.foreignOptions.isEmpty == true)
    }

    @Test("keep what works, on SQLite")
    func sqlite() async throws { try await Self.database.openInSQLite() }

    @Test("keep what works, on PostgreSQL")
    func postgreSQL() async throws { try await Self.database.openInPostgreSQL() }
}
