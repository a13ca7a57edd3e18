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

extension Migration {
    /// What apps keep of sessions, in protocols in which sessions are objects of apps: their fields as JSON, and when these or
    /// the end were last changed. Both are null until then.
    static let sessionObjects = Migration(
        version: 21, name: "session objects",
        sqlite: [
            "ALTER TABLE sessions ADD COLUMN fields TEXT",
            "ALTER TABLE sessions ADD COLUMN updated_at INTEGER",
        ],
        postgresql: [
            "ALTER TABLE sessions ADD COLUMN fields TEXT",
            "ALTER TABLE sessions ADD COLUMN updated_at BIGINT",
        ])
}
