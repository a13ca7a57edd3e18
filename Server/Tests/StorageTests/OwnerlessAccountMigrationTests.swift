import Domain
import Storage
import Testing

/// The step that removes what was kept beside identities of users who were erased, on databases as the step before left them.
@Suite("Databases from before an erased user's ids went along", .serialized)
struct OwnerlessAccountMigrationTests {
    private static let database = DatabaseBeforeStep(step: 36, rows: rows, check: check)

    /// What is kept, and what leads to a user: the same subject at another provider or in another application leads nowhere.
    private static let kept = [
        ("A1", "anonymous", "left"), ("A1", "anonymous", "owned"), ("A1", "apple", "left"), ("A1", "apple", "owned"),
        ("A2", "anonymous", "owned"), ("A2", "anonymous", "theirs"), ("A2", "apple", "owned"),
    ]
    private static let owned = [
        ("A1", "anonymous", "owned"), ("A1", "apple", "owned"), ("A1", "device", "left"), ("A1", "passkey", "theirs"),
        ("A2", "anonymous", "theirs"),
    ]

    private static func rows(bytes: (String) -> String) -> String {
        let accounts = kept.map { application, provider, subject in
            """
            INSERT INTO provider_accounts (
                application_id, provider, subject, audience, sealed_grant, email_is_forwarded, updated_at)
            VALUES ('\(application)', '\(provider)', '\(subject)', '', \(bytes("01")), 1, 1)
            """
        }
        let identities = owned.map { application, provider, subject in
            """
            INSERT INTO identities (application_id, provider, subject, user_id, linked_at)
            VALUES ('\(application)', '\(provider)', '\(subject)', 'U', 1)
            """
        }
        return (accounts + identities).joined(separator: ";\n")
    }

    private static func check(_ store: any Engine) async throws {
        let left = try await store.read { transaction throws(DomainError) in
            var found: [String] = []
            for (application, provider, subject) in kept {
                let account = try transaction.providerAccount(
                    Identity.Provider(rawValue: provider), subject: subject, in: Identifier(rawValue: application))
                guard let account else { continue }
                found.append("\(account.application) \(account.provider.rawValue) \(account.subject)")
            }
            return found
        }
        #expect(left == ["A1 anonymous owned", "A1 apple owned", "A2 anonymous theirs"])
    }

    @Test("keep what leads to a user alone, on SQLite")
    func sqlite() async throws { try await Self.database.openInSQLite() }

    @Test("keep what leads to a user alone, on PostgreSQL")
    func postgreSQL() async throws { try await Self.database.openInPostgreSQL() }
}
