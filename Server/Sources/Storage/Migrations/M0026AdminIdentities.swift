extension Migration {
    /// Admins as their OpenID Connect provider knows them, one identity each; a session knows whether it was proven by it.
    static let adminIdentities = Migration(
        version: 26, name: "identities of admins", sqlite: statements(integer: "INTEGER", options: " WITHOUT ROWID"),
        postgresql: statements(integer: "BIGINT", options: ""))

    private static func statements(integer: String, options: String) -> [String] {
        [
            "ALTER TABLE admin_sessions ADD COLUMN identity_id TEXT",
            """
            CREATE TABLE admin_identities (
                id TEXT NOT NULL PRIMARY KEY,
                issuer TEXT NOT NULL,
                subject TEXT NOT NULL,
                admin_id TEXT NOT NULL,
                linked_at \(integer) NOT NULL
            )\(options)
            """,
            "CREATE UNIQUE INDEX admin_identities_by_admin ON admin_identities (admin_id)",
        ]
    }
}
