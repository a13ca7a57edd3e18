extension Migration {
    /// Events without a position are found application by application (decision 0140). Endpoints remember that their receiver
    /// wants no more.
    static let eventTurns = Migration(
        version: 31, name: "event turns", sqlite: statements(integer: "INTEGER"),
        postgresql: statements(integer: "BIGINT"))

    private static func statements(integer: String) -> [String] {
        [
            "DROP INDEX events_unordered",
            """
            CREATE INDEX events_unordered ON events (application_id, user_number, id)
            WHERE position IS NULL
            """,
            "ALTER TABLE event_endpoints ADD COLUMN gone_at \(integer)",
        ]
    }
}
