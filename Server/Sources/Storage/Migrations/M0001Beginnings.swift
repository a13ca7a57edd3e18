extension Migration {
    /// Applications, users, identities, sessions, used proofs, rate limits, signing keys.
    ///
    /// The application's id stands first in every key, so that tables can be distributed by it. Times are milliseconds
    /// since 1970. Sessions are kept in the order of their tokens' digests: the look-up of the hot path then descends
    /// one tree.
    static let beginnings = Migration(
        version: 1, name: "beginnings",
        sqlite: statements(text: "TEXT", integer: "INTEGER", bytes: "BLOB", json: "TEXT", options: " WITHOUT ROWID"),
        postgresql: statements(
            text: "TEXT", integer: "BIGINT", bytes: "BYTEA", json: "TEXT", options: ""))

    private static func statements(
        text: String, integer: String, bytes: String, json: String, options: String
    ) -> [String] {
        [
            """
            CREATE TABLE applications (
                id \(text) NOT NULL PRIMARY KEY,
                name \(text) NOT NULL,
                admin_key_digest \(bytes) NOT NULL,
                settings \(json) NOT NULL,
                created_at \(integer) NOT NULL
            )\(options)
            """,
            """
            CREATE TABLE users (
                application_id \(text) NOT NULL,
                id \(text) NOT NULL,
                display_name \(text),
                locale \(text),
                fields \(json),
                created_at \(integer) NOT NULL,
                updated_at \(integer) NOT NULL,
                last_log_in_at \(integer),
                previous_log_in_at \(integer),
                PRIMARY KEY (application_id, id)
            )\(options)
            """,
            """
            CREATE TABLE identities (
                application_id \(text) NOT NULL,
                provider \(text) NOT NULL,
                subject \(text) NOT NULL,
                user_id \(text) NOT NULL,
                linked_at \(integer) NOT NULL,
                PRIMARY KEY (application_id, provider, subject)
            )\(options)
            """,
            // With all that is read of them, in its order: otherwise SQLite reads all identities of the application.
            "CREATE INDEX identities_by_user ON identities (application_id, user_id, linked_at, provider, subject)",
            """
            CREATE TABLE sessions (
                application_id \(text) NOT NULL,
                token_digest \(bytes) NOT NULL,
                id \(text) NOT NULL,
                user_id \(text) NOT NULL,
                device_key \(text),
                device_name \(text),
                device_model \(text),
                device_system \(text),
                device_app_version \(text),
                address \(text),
                protocol \(text) NOT NULL,
                method \(text) NOT NULL,
                created_at \(integer) NOT NULL,
                last_used_at \(integer) NOT NULL,
                expires_at \(integer) NOT NULL,
                attempt_digest \(bytes),
                attempt_was_new \(integer),
                attempt_previous_log_in_at \(integer),
                PRIMARY KEY (application_id, token_digest)
            )\(options)
            """,
            "CREATE UNIQUE INDEX sessions_by_user ON sessions (application_id, user_id, id)",
            """
            CREATE TABLE used_proofs (
                application_id \(text) NOT NULL,
                digest \(bytes) NOT NULL,
                ends_at \(integer) NOT NULL,
                PRIMARY KEY (application_id, digest)
            )\(options)
            """,
            "CREATE INDEX used_proofs_by_end ON used_proofs (ends_at)",
            """
            CREATE TABLE rate_limits (
                application_id \(text) NOT NULL,
                kind \(text) NOT NULL,
                subject \(text) NOT NULL,
                window_start \(integer) NOT NULL,
                used \(integer) NOT NULL,
                PRIMARY KEY (application_id, kind, subject)
            )\(options)
            """,
            """
            CREATE TABLE signing_keys (
                id \(text) NOT NULL PRIMARY KEY,
                sealed \(bytes) NOT NULL,
                created_at \(integer) NOT NULL
            )\(options)
            """,
        ]
    }
}
