extension Migration {
    /// Passkeys. Whose one is, its identity says.
    static let passkeys = Migration(
        version: 20, name: "passkeys",
        sqlite: statements(integer: "INTEGER", bytes: "BLOB", options: " WITHOUT ROWID"),
        postgresql: statements(integer: "BIGINT", bytes: "BYTEA", options: ""))

    private static func statements(integer: String, bytes: String, options: String) -> [String] {
        [
            """
            CREATE TABLE passkeys (
                application_id TEXT NOT NULL,
                credential_id TEXT NOT NULL,
                user_handle TEXT NOT NULL,
                public_key \(bytes) NOT NULL,
                name TEXT NOT NULL,
                aaguid TEXT NOT NULL,
                sign_count \(integer) NOT NULL,
                transports TEXT NOT NULL,
                is_backup_eligible \(integer) NOT NULL,
                is_backed_up \(integer) NOT NULL,
                created_at \(integer) NOT NULL,
                last_used_at \(integer),
                PRIMARY KEY (application_id, credential_id)
            )\(options)
            """
        ]
    }
}
