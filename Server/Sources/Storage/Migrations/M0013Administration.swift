extension Migration {
    /// Admins, their sessions, links and keys. They belong to the server, so that no application stands in their keys.
    static let administration = Migration(
        version: 13, name: "administration",
        sqlite: statements(text: "TEXT", integer: "INTEGER", bytes: "BLOB", options: " WITHOUT ROWID"),
        postgresql: statements(text: "TEXT", integer: "BIGINT", bytes: "BYTEA", options: ""))

    private static func statements(text: String, integer: String, bytes: String, options: String) -> [String] {
        [
            """
            CREATE TABLE admins (
                id \(text) NOT NULL PRIMARY KEY,
                name \(text) NOT NULL,
                folded_name \(text) NOT NULL UNIQUE,
                role \(text) NOT NULL,
                applications \(text),
                password_hash \(text),
                sealed_totp \(bytes),
                last_totp_step \(integer) NOT NULL,
                recovery_digests \(bytes) NOT NULL,
                created_at \(integer) NOT NULL,
                updated_at \(integer) NOT NULL,
                last_log_in_at \(integer),
                disabled_at \(integer)
            )\(options)
            """,
            """
            CREATE TABLE admin_sessions (
                digest \(bytes) NOT NULL PRIMARY KEY,
                admin_id \(text) NOT NULL,
                created_at \(integer) NOT NULL,
                last_used_at \(integer) NOT NULL
            )\(options)
            """,
            """
            CREATE TABLE admin_links (
                digest \(bytes) NOT NULL PRIMARY KEY,
                admin_id \(text),
                sealed_totp \(bytes) NOT NULL,
                expires_at \(integer) NOT NULL
            )\(options)
            """,
            """
            CREATE TABLE admin_keys (
                digest \(bytes) NOT NULL PRIMARY KEY,
                id \(text) NOT NULL UNIQUE,
                name \(text) NOT NULL,
                scopes \(text) NOT NULL,
                applications \(text),
                created_by \(text) NOT NULL,
                created_at \(integer) NOT NULL,
                expires_at \(integer) NOT NULL
            )\(options)
            """,
            "CREATE INDEX applications_by_admin_key ON applications (admin_key_digest)",
        ]
    }
}
