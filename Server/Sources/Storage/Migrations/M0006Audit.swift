extension Migration {
    /// The audit log. An entry has no number until it stands in its application's chain.
    static let audit = Migration(
        version: 6, name: "audit",
        sqlite: auditStatements(text: "TEXT", integer: "INTEGER", bytes: "BLOB", options: " WITHOUT ROWID"),
        postgresql: auditStatements(
            text: "TEXT", integer: "BIGINT", bytes: "BYTEA", options: ""))

    private static func auditStatements(text: String, integer: String, bytes: String, options: String) -> [String] {
        [
            """
            CREATE TABLE audit_entries (
                application_id \(text) NOT NULL,
                id \(text) NOT NULL,
                happened_at \(integer) NOT NULL,
                actor \(text) NOT NULL,
                action \(text) NOT NULL,
                target \(text),
                result \(text) NOT NULL,
                address \(text),
                user_agent \(text),
                request_id \(text),
                details \(text),
                seal \(bytes) NOT NULL,
                number \(integer),
                digest \(bytes),
                PRIMARY KEY (application_id, id)
            )\(options)
            """,
            "CREATE UNIQUE INDEX audit_entries_by_number ON audit_entries (application_id, number)",
            "CREATE INDEX audit_entries_unchained ON audit_entries (application_id, id) WHERE number IS NULL",
            """
            CREATE TABLE audit_heads (
                application_id \(text) NOT NULL PRIMARY KEY,
                number \(integer) NOT NULL,
                digest \(bytes) NOT NULL,
                seal \(bytes) NOT NULL
            )\(options)
            """,
        ]
    }
}
