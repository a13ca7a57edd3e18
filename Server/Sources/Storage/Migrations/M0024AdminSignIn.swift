extension Migration {
    /// Keys of the admin API are confined to networks, null for anywhere. Admins have passkeys, which stand among those of
    /// users under the id that no application has; a session knows by which it was proven.
    static let adminSignIn = Migration(
        version: 24, name: "sign-in of admins", sqlite: statements(integer: "INTEGER", options: " WITHOUT ROWID"),
        postgresql: statements(integer: "BIGINT", options: ""))

    private static func statements(integer: String, options: String) -> [String] {
        [
            "ALTER TABLE admin_keys ADD COLUMN networks TEXT",
            "ALTER TABLE admins ADD COLUMN uses_passkeys_only \(integer) NOT NULL DEFAULT 0",
            "ALTER TABLE admin_sessions ADD COLUMN passkey_id TEXT",
            """
            CREATE TABLE admin_passkeys (
                credential_id TEXT NOT NULL PRIMARY KEY,
                admin_id TEXT NOT NULL
            )\(options)
            """,
            "CREATE INDEX admin_passkeys_by_admin ON admin_passkeys (admin_id)",
        ]
    }
}
