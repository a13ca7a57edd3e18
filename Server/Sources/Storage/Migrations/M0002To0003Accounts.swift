extension Migration {
    /// What a person types, passwords, standing, and when a session's owner was last there.
    ///
    /// `identifiers` holds folded forms, unique within an application; `users` holds what is shown. Hashes of passwords
    /// stand in a table of their own, so that reading a user never reads one.
    static let accounts = Migration(
        version: 2, name: "accounts",
        sqlite: statements(text: "TEXT", integer: "INTEGER", bytes: "BLOB", options: " WITHOUT ROWID"),
        postgresql: statements(
            text: "TEXT", integer: "BIGINT", bytes: "BYTEA", options: ""))

    private static func statements(text: String, integer: String, bytes: String, options: String) -> [String] {
        [
            "ALTER TABLE users ADD COLUMN username \(text)",
            "ALTER TABLE users ADD COLUMN email \(text)",
            "ALTER TABLE users ADD COLUMN email_verified_at \(integer)",
            "ALTER TABLE users ADD COLUMN phone \(text)",
            "ALTER TABLE users ADD COLUMN phone_verified_at \(integer)",
            "ALTER TABLE users ADD COLUMN password_set_at \(integer)",
            "ALTER TABLE users ADD COLUMN disabled_at \(integer)",
            "ALTER TABLE users ADD COLUMN deletion_requested_at \(integer)",
            """
            CREATE TABLE identifiers (
                application_id \(text) NOT NULL,
                kind \(text) NOT NULL,
                value \(text) NOT NULL,
                user_id \(text) NOT NULL,
                PRIMARY KEY (application_id, kind, value)
            )\(options)
            """,
            "CREATE INDEX identifiers_by_user ON identifiers (application_id, user_id)",
            """
            CREATE TABLE passwords (
                application_id \(text) NOT NULL,
                user_id \(text) NOT NULL,
                hash \(text) NOT NULL,
                PRIMARY KEY (application_id, user_id)
            )\(options)
            """,
            "ALTER TABLE sessions ADD COLUMN authenticated_at \(integer)",
            "ALTER TABLE sessions ADD COLUMN attempt_request_digest \(bytes)",
        ]
    }
}

extension Migration {
    /// Wrong passwords in a row, by the digest of what was typed as identifier.
    static let logInFailures = Migration(
        version: 3, name: "log-in failures",
        sqlite: failureStatements(text: "TEXT", integer: "INTEGER", bytes: "BLOB", options: " WITHOUT ROWID"),
        postgresql: failureStatements(
            text: "TEXT", integer: "BIGINT", bytes: "BYTEA", options: ""))

    private static func failureStatements(text: String, integer: String, bytes: String, options: String) -> [String] {
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
