extension Migration {
    /// Wrong passwords in a row, by the digest of what was typed as identifier.
    static let logInFailures = Migration(
        version: 3, name: "log-in failures",
        sqlite: statements(text: "TEXT", integer: "INTEGER", bytes: "BLOB", options: " WITHOUT ROWID"),
        postgresql: statements(
            text: "TEXT", integer: "BIGINT", bytes: "BYTEA", options: ""))

    private static func statements(text: String, integer: String, bytes: String, options: String) -> [String] {
        [
            """
            CREATE TABLE log_in_failures (
                application_id \(text) NOT NULL,
                subject \(bytes) NOT NULL,
                failures \(integer) NOT NULL,
                last_at \(integer) NOT NULL,
                PRIMARY KEY (application_id, subject)
            )\(options)
            """,
            "CREATE INDEX log_in_failures_by_time ON log_in_failures (last_at)",
        ]
    }
}
