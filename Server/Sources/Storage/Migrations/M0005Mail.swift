extension Migration {
    /// The mail queue, the outbox, and codes that were mailed.
    ///
    /// A mail that was given up has neither content nor a next try. Codes are kept as keyed digests.
    static let mail = Migration(
        version: 5, name: "mail",
        sqlite: statements(text: "TEXT", integer: "INTEGER", bytes: "BLOB", options: " WITHOUT ROWID"),
        postgresql: statements(
            text: "TEXT", integer: "BIGINT", bytes: "BYTEA", options: ""))

    private static func statements(text: String, integer: String, bytes: String, options: String) -> [String] {
        [
            """
            CREATE TABLE mail_queue (
                application_id \(text) NOT NULL,
                id \(text) NOT NULL,
                kind \(text) NOT NULL,
                sealed \(bytes),
                created_at \(integer) NOT NULL,
                expires_at \(integer) NOT NULL,
                attempts \(integer) NOT NULL,
                next_try_at \(integer),
                claim \(text),
                last_fault \(text),
                PRIMARY KEY (application_id, id)
            )\(options)
            """,
            "CREATE INDEX mail_queue_by_next_try ON mail_queue (next_try_at)",
            """
            CREATE TABLE mail_outbox (
                application_id \(text) NOT NULL,
                id \(text) NOT NULL,
                sealed \(bytes) NOT NULL,
                created_at \(integer) NOT NULL,
                PRIMARY KEY (application_id, id)
            )\(options)
            """,
            """
            CREATE TABLE mailed_codes (
                application_id \(text) NOT NULL,
                handle \(bytes) NOT NULL,
                digest \(bytes) NOT NULL,
                kind \(text) NOT NULL,
                user_id \(text) NOT NULL,
                address \(text) NOT NULL,
                replaces \(text),
                expires_at \(integer) NOT NULL,
                used_by \(bytes),
                PRIMARY KEY (application_id, handle)
            )\(options)
            """,
            "CREATE UNIQUE INDEX mailed_codes_by_user ON mailed_codes (application_id, user_id, kind)",
            "CREATE INDEX mailed_codes_by_end ON mailed_codes (expires_at)",
        ]
    }
}
