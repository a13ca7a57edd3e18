extension Migration {
    /// When an admin last gave password and one-time code in a session. Sessions of before did so when they began.
    static let adminPresence = Migration(
        version: 15, name: "admin presence", sqlite: statements(integer: "INTEGER"),
        postgresql: statements(integer: "BIGINT"))

    private static func statements(integer: String) -> [String] {
        [
            "ALTER TABLE admin_sessions ADD COLUMN authenticated_at \(integer) NOT NULL DEFAULT 0",
            "UPDATE admin_sessions SET authenticated_at = created_at",
        ]
    }
}

extension Migration {
    /// What ends with a change of an account: a number that makes sealed tickets void, the session in which a code was
    /// asked for, and device keys that were removed, so that their owners learn of it.
    static let evictions = Migration(
        version: 16, name: "evictions",
        sqlite: statements(integer: "INTEGER", options: " WITHOUT ROWID"),
        postgresql: statements(integer: "BIGINT", options: ""))

    private static func statements(integer: String, options: String) -> [String] {
        [
            "ALTER TABLE users ADD COLUMN credentials_version \(integer) NOT NULL DEFAULT 0",
            "ALTER TABLE mailed_codes ADD COLUMN session_id TEXT",
            """
            CREATE TABLE removed_device_keys (
                application_id TEXT NOT NULL,
                thumbprint TEXT NOT NULL,
                user_id TEXT NOT NULL,
                reason TEXT NOT NULL,
                removed_at \(integer) NOT NULL,
                PRIMARY KEY (application_id, thumbprint)
            )\(options)
            """,
            "CREATE INDEX removed_device_keys_by_user ON removed_device_keys (application_id, user_id)",
            "CREATE INDEX removed_device_keys_by_time ON removed_device_keys (removed_at)",
            "CREATE INDEX merge_tickets_by_user ON merge_tickets (application_id, user_id)",
            "CREATE INDEX merge_tickets_by_other ON merge_tickets (application_id, other_id)",
        ]
    }
}
