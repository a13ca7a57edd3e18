extension Migration {
    /// Events without a position are found application by application (decision 0140), events of two users by either of them
    /// (decision 0141). Endpoints remember that their receiver wants no more.
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
            """
            CREATE INDEX events_by_left_user ON events (application_id, left_user_id, user_number)
            WHERE left_user_id IS NOT NULL
            """,
            "ALTER TABLE event_deliveries ADD COLUMN left_user_id TEXT",
            """
            UPDATE event_deliveries SET left_user_id = (
                SELECT left_user_id FROM events
                WHERE events.application_id = event_deliveries.application_id AND events.id = event_deliveries.event_id)
            WHERE EXISTS (
                SELECT 1 FROM events
                WHERE events.application_id = event_deliveries.application_id
                    AND events.id = event_deliveries.event_id AND events.left_user_id IS NOT NULL)
            """,
            """
            CREATE INDEX event_deliveries_by_left_user
            ON event_deliveries (application_id, endpoint_id, left_user_id, is_given_up, position)
            WHERE left_user_id IS NOT NULL
            """,
        ]
    }
}
