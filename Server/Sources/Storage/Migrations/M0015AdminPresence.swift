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
