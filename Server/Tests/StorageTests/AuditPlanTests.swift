import Domain
import Foundation
import Storage
import StorageSQLite
import TestPostgreSQL
import TestWorld
import Testing

/// How the audit log is read, as the engines plan it: its indexes leave out what nobody seeks in them.
@Suite("Entries of the audit log")
struct AuditPlanTests {
    private static let application = Identifier<Application>(rawValue: "A1")
    private static let user = Identifier<User>(rawValue: "hana")

    /// The statements of a reading, with values in place of their parameters.
    private func statements() async throws -> (aboutUser: String, chain: String, newest: String) {
        let spans = SpanQueue(capacity: 1000)
        let store = TracedEngine(try SQLiteStore(.memory, role: .server), .sqlite)
        let request = Tracer(ratio: 1, seeds: (1, 2), queue: spans).begin("test", .server)
        try await CurrentSpan.$value.withValue(request) {
            _ = try await store.read { transaction throws(DomainError) in
                (
                    try transaction.auditEntries(about: Self.user, in: Self.application, limit: 10).count,
                    try transaction.auditChain(of: Self.application, after: 0, limit: 10).count,
                    try transaction.newestAuditTime()
                )
            }
        }
        await store.close()
        let texts: [String] = spans.take(.max).compactMap { span in
            for case (name: "db.query.text", value: .text(let text)) in span.attributes.map({ ($0.name, $0.value) }) {
                return text
            }
            return nil
        }
        func written(_ mark: String, _ values: [String]) throws -> String {
            let text = try #require(texts.first { $0.contains(mark) })
            return values.enumerated().reduce(text) { $0.replacing("$\($1.offset + 1)", with: $1.element) }
        }
        return (
            try written("UNION SELECT", ["'A1'", "'user:hana'", "10"]), try written("number >", ["'A1'", "0", "10"]),
            try written("MAX(", ["''"])
        )
    }

    @Test("are found by small indexes in SQLite")
    func sqlite() async throws {
        let folder = TemporaryFolder()
        await (try SQLiteStore(.folder(folder.path), role: .server)).close()
        let (aboutUser, chain, newest) = try await statements()
        func plan(_ text: String) throws -> String { try QueryPlans(folder).plan(of: text).joined(separator: "\n") }
        let ofUser = try plan(aboutUser)
        #expect(ofUser.contains("audit_entries_by_actor (application_id=? AND actor=?"), "\(ofUser)")
        #expect(ofUser.contains("audit_entries_by_target (application_id=? AND target>? AND target<?"), "\(ofUser)")
        let ofChain = try plan(chain)
        #expect(ofChain.contains("audit_entries_by_number (application_id=? AND number>?"), "\(ofChain)")
        #expect(!ofUser.contains("SCAN audit_entries") && !ofChain.contains("B-TREE"), "\(ofUser) \(ofChain)")
        #expect(!(try plan(newest)).contains("SCAN audit_entries"), "the end of each log is found by its index")
        // Each index is read for as many as are shown, in its own order: a user of years has the page as quickly as another.
        #expect(aboutUser.components(separatedBy: "LIMIT 10").count == 4 && !ofUser.contains("ORDER BY"), "\(ofUser)")
    }

    @Test("are found by small indexes in PostgreSQL")
    func postgreSQL() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeMigratedDatabase()
        let (aboutUser, chain, newest) = try await statements()
        func plan(_ text: String) async throws -> String {
            // Without rows a scan costs nothing: it is forbidden, so that the plan tells whether there is another way.
            try await cluster.run(
                """
                SET enable_seqscan = off; SET enable_bitmapscan = off; EXPLAIN (COSTS OFF) \(text)
                """, in: database
            ).compactMap { $0.first ?? nil }.joined(separator: "\n")
        }
        let ofUser = try await plan(aboutUser)
        #expect(ofUser.contains("audit_entries_by_actor") && ofUser.contains("audit_entries_by_target"), "\(ofUser)")
        #expect(ofUser.components(separatedBy: "Limit").count == 4, "\(ofUser)")
        let ofChain = try await plan(chain)
        #expect(ofChain.contains("audit_entries_by_number") && !ofChain.contains("Seq Scan"), "\(ofChain)")
        let ofNewest = try await plan(newest)
        #expect(ofNewest.contains("audit_entries_pkey"), "\(ofNewest)")
    }
}

/// The step that takes rows out of the audit log's indexes, on databases as the step before left them.
@Suite("Databases from before the audit log's indexes were small", .serialized)
struct AuditIndexMigrationTests {
    private static let database = DatabaseBeforeStep(step: 30, rows: rows, check: check)

    /// A log-in, what an operator did to the user, what the user did to another one, and an entry of somebody else.
    private static func rows(bytes: (String) -> String) -> String {
        let entries = [
            ("1", "user:hana", "user:hana", "1"), ("2", "operator", "user:hana", "2"),
            ("3", "user:hana", "user:sora", "NULL"), ("4", "operator", "user:sora", "NULL"),
        ]
        let digest = bytes(String(repeating: "00", count: 32))
        return entries.map { id, actor, target, number in
            """
            INSERT INTO audit_entries (application_id, id, happened_at, actor, action, target, result, seal, number, digest)
            VALUES ('A1', '\(id)', 1, '\(actor)', 'x', '\(target)', 'done', \(digest), \(number), \(digest))
            """
        }.joined(separator: ";\n")
    }

    private static func check(_ store: any Engine) async throws {
        let application = Identifier<Application>(rawValue: "A1")
        let (ofUser, newest, chain) = try await store.read { transaction throws(DomainError) in
            (
                try transaction.auditEntries(about: Identifier(rawValue: "hana"), in: application, limit: 9),
                try transaction.auditEntries(about: Identifier(rawValue: "hana"), in: application, limit: 2),
                try transaction.auditChain(of: application, after: 0, limit: 9)
            )
        }
        #expect(ofUser.map(\.id.rawValue) == ["3", "2", "1"] && newest.map(\.id.rawValue) == ["3", "2"])
        #expect(chain.map(\.entry.id.rawValue) == ["1", "2"])
    }

    @Test("show the same of a user, on SQLite")
    func sqlite() async throws { try await Self.database.openInSQLite() }

    @Test("show the same of a user, on PostgreSQL")
    func postgreSQL() async throws { try await Self.database.openInPostgreSQL() }
}

@Suite("Details of audit entries and events")
struct DetailTextTests {
    private static let texts = [
        "", "password", "\"\\/\u{8}\t\n\u{c}\r\u{0}\u{1f}\u{7f}", "花 🇯🇵 e\u{301}", "\u{2028}\u{2029}", "<script>",
    ]

    @Test("are the bytes that Foundation's encoder writes, so that what is stored stays as it was", arguments: texts)
    func bytes(text: String) throws {
        let details = ["method": text, "Method": "x", "\(text)é": text, "a-b": "y", "a": "", "ab": text]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let expected = String(decoding: try encoder.encode(details), as: UTF8.self)
        let entry = AuditEntry(
            id: .init(rawValue: "1"), application: .init(rawValue: "A1"), at: Timestamp(milliseconds: 1), by: .local,
            did: .init(.loggedIn, on: nil, result: .done, details: details), seal: SecretDigest(of: []))
        guard case .text(let stored) = try AuditEntryRow.stored(entry, .details) else {
            Issue.record("no text")
            return
        }
        #expect(Array(stored.utf8) == Array(expected.utf8), "\(stored)")
    }
}
