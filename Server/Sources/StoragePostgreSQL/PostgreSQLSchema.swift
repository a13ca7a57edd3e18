import Domain
import Storage

/// The schema of a database: which version it has, and how it gets the newest.
struct PostgreSQLSchema {
    /// The key of the advisory lock that lets one `okaeri migrate` in: "okaeri" in ASCII.
    private static let lock = 0x6f6b_6165_7269
    private static let bookkeeping = """
        CREATE TABLE IF NOT EXISTS schema_migrations (
            version BIGINT NOT NULL PRIMARY KEY,
            name TEXT COLLATE "C" NOT NULL
        )
        """

    private let link: PostgreSQLLink
    private let address: PostgreSQLAddress

    init(_ link: PostgreSQLLink, _ address: PostgreSQLAddress) {
        self.link = link
        self.address = address
    }

    /// The version that the database has; 0 when it has no schema of Okaeri.
    func version() throws(PostgreSQLFault) -> Int {
        let exists = try link.run("SELECT to_regclass('schema_migrations') IS NOT NULL")
        guard exists.row(0).integer(0) == 1 else {
            try refuseClosedSchema()
            return 0
        }
        return Int(clamping: try link.run("SELECT COALESCE(MAX(version), 0) FROM schema_migrations").row(0).integer(0))
    }

    /// Refuses a role to which the schema is closed: to it a database with all tables looks empty.
    private func refuseClosedSchema() throws(PostgreSQLFault) {
        let closed = try link.run(
            """
            SELECT n.nspname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relname = 'schema_migrations' AND current_schema() IS NULL
                AND NOT has_schema_privilege(n.oid, 'USAGE')
            ORDER BY n.oid LIMIT 1
            """)
        guard closed.rowCount > 0 else { return }
        throw PostgreSQLFault(state: "42501", message: "permission denied for schema \(closed.row(0).text(0))")
    }

    /// Sees whether this program can work with the database.
    ///
    /// - Throws: `PostgreSQLOpenFault` when the schema is missing, too old or too new.
    func check() throws(PostgreSQLOpenFault) {
        let present: Int
        let isUnfinished: Bool
        do {
            present = try version()
            isUnfinished = try PostgreSQLTableWriter.isUnfinished(link)
        } catch {
            throw PostgreSQLOpenFault(address, message: error.words)
        }
        if let words = Self.complaint(present, address) { throw PostgreSQLOpenFault(words) }
        if isUnfinished {
            throw PostgreSQLOpenFault(
                "An “okaeri copy” into the database \(address) has not ended. Run it again; it goes on where it stopped. An "
                    + "“okaeri restore” that was broken off begins anew in a new database."
            )
        }
    }

    /// Sees whether a node may read and write all tables: those of a step that another role ran are that role's.
    ///
    /// - Throws: `PostgreSQLOpenFault` that names them.
    func checkRights() throws(PostgreSQLOpenFault) {
        let closed: [String]
        do throws(PostgreSQLFault) {
            closed = try closedTables()
        } catch {
            throw PostgreSQLOpenFault(address, message: error.words)
        }
        guard closed.isEmpty else {
            throw PostgreSQLOpenFault(address, message: "permission denied for \(closed.joined(separator: ", "))")
        }
    }

    /// The tables that this session's role may not read and write, and what it may not write of the journal of what ended.
    func closedTables() throws(PostgreSQLFault) -> [String] {
        let found = try link.run(
            """
            SELECT t.relname::text FROM pg_class t JOIN pg_class s ON s.relnamespace = t.relnamespace
            WHERE s.oid = to_regclass('schema_migrations') AND t.relkind IN ('r', 'p')
                AND strpos($1, ' ' || t.relname::text || ' ') > 0
                AND NOT (has_table_privilege(t.oid, 'SELECT') AND has_table_privilege(t.oid, 'INSERT')
                    AND has_table_privilege(t.oid, 'UPDATE') AND has_table_privilege(t.oid, 'DELETE'))
            ORDER BY t.relname::text COLLATE "C"
            """, [" \(Migration.tables.sorted().joined(separator: " ")) "])
        return (0..<found.rowCount).map { found.row($0).text(0) } + (try PostgreSQLRevocations(link).closedParts())
    }

    /// Lets what is made in the transaction under way belong to whom the tables belong. What a superuser made for itself would be
    /// closed to the nodes, and so would each change that notes in it what ends.
    static func becomeOwner(_ link: PostgreSQLLink) throws(PostgreSQLFault) {
        guard let owner = try owner(link) else { return }
        try link.run("SELECT set_config('role', $1, true)", [owner])
    }

    /// Whom the tables belong to, when that is another role than this session's, as which it may act; `nil` otherwise.
    static func owner(_ link: PostgreSQLLink) throws(PostgreSQLFault) -> String? {
        let found = try link.run(
            """
            SELECT pg_get_userbyid(relowner)::text FROM pg_class
            WHERE oid = to_regclass('schema_migrations') AND pg_get_userbyid(relowner) <> current_user
                AND pg_has_role(relowner, 'MEMBER') AND has_schema_privilege(relowner, relnamespace, 'CREATE')
            """)
        return found.rowCount == 0 ? nil : found.row(0).text(0)
    }

    /// When the latest device proof was made that a server on SQLite took in memory, before the installation was copied here;
    /// `nil` without one.
    func latestProof() throws(PostgreSQLOpenFault) -> Timestamp? {
        do throws(PostgreSQLFault) {
            let found = try link.run("SELECT latest FROM proof_times")
            return found.rowCount == 0 ? nil : Timestamp(milliseconds: found.row(0).integer(0))
        } catch {
            throw PostgreSQLOpenFault(address, message: error.words)
        }
    }

    /// What is wrong with a version, in words for the operator.
    static func complaint(_ present: Int, _ address: PostgreSQLAddress) -> String? {
        let latest = Migration.latestVersion
        if present == latest { return nil }
        if present == 0 {
            return "The database \(address) has no schema of Okaeri yet. Make it with “okaeri migrate”."
        }
        if present > latest {
            return
                "The database \(address) has schema version \(present), made by a newer Okaeri; this program knows up "
                + "to \(latest). Run the newer program, or restore a backup from before it."
        }
        return
            "The database \(address) has schema version \(present), and this program needs \(latest). Bring it up to "
            + "date with “okaeri migrate”."
    }

    /// The steps that a database of some version lacks, as SQL.
    static func statements(after version: Int) -> [String] {
        let steps = Migration.all.filter { $0.version > version }
        guard !steps.isEmpty else { return [] }
        return [bookkeeping]
            + steps.flatMap { step in
                step.postgresql + [
                    "INSERT INTO schema_migrations (version, name) VALUES (\(step.version), '\(step.name)')"
                ]
            }
    }

    /// Runs the steps that are missing, all or none. Of many who try at once, one does it, and the others wait.
    ///
    /// - Returns: the version that the database had.
    func migrate() throws(PostgreSQLFault) -> Int {
        // Tables can be large, and somebody waits in front of a terminal.
        try link.run("SET statement_timeout = 0")
        return try link.repeating { () throws(PostgreSQLFault) in try migrateOnce() }
    }

    private func migrateOnce() throws(PostgreSQLFault) -> Int {
        try link.run("BEGIN")
        do {
            try link.run("SELECT pg_advisory_xact_lock(\(Self.lock))", within: .seconds(3600))
            try link.run("SET LOCAL lock_timeout = '\(PostgreSQLLink.tableTimeout)'")
            let before = try version()
            let statements = Self.statements(after: before)
            let revocations = PostgreSQLRevocations(link)
            // Triggers hold on to the columns that a step may change. Without a step those stay that note enough: while others
            // take their place, everybody waits who uses their tables. What a newer program notes is its own.
            var renewsTriggers = try before <= Migration.latestVersion ? revocations.exists() : false
            if renewsTriggers, statements.isEmpty { renewsTriggers = try !revocations.areCurrent() }
            if renewsTriggers {
                try revocations.removeTriggers()
                try revocations.handOver()
            }
            try Self.becomeOwner(link)
            for statement in statements { try link.run(statement, within: .seconds(86_400)) }
            if renewsTriggers { try revocations.install() }
            try link.run("COMMIT")
            return before
        } catch {
            // The first fault is the one to tell; a lost connection has rolled back already.
            _ = try? link.run("ROLLBACK")
            throw error
        }
    }
}

/// `okaeri migrate` on a database.
package struct PostgreSQLMigration: Sendable {
    /// The version that the database had.
    package let before: Int
    /// The version that it has now, or would have.
    package let after: Int
    /// What was run, or would be.
    package let statements: [String]

    /// Brings a database up to date, all steps or none, or says how that would be done. Blocks.
    ///
    /// - Parameters:
    ///   - address: Where the database is.
    ///   - isRehearsal: Whether to change nothing.
    /// - Throws: `PostgreSQLOpenFault` when it cannot be done, or the schema is newer than this program.
    package init(_ address: PostgreSQLAddress, isRehearsal: Bool) throws(PostgreSQLOpenFault) {
        let link = try PostgreSQLLink(
            isRehearsal ? address.forReading : address,
            // The lock of the steps is waited for as long as the one who has it works; tables in use are not.
            session: "SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0")
        let schema = PostgreSQLSchema(link, address)
        do throws(PostgreSQLFault) {
            before = isRehearsal ? try schema.version() : try schema.migrate()
        } catch {
            throw PostgreSQLOpenFault(address, "cannot be brought up to date", error)
        }
        if before > Migration.latestVersion, let words = PostgreSQLSchema.complaint(before, address) {
            throw PostgreSQLOpenFault(words)
        }
        after = Migration.latestVersion
        statements = PostgreSQLSchema.statements(after: before)
    }
}
