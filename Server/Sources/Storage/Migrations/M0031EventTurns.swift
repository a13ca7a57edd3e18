extension Migration {
    /// Events without a position are found application by application (decision 0140).
    static let eventTurns = Migration(
        version: 31, name: "event turns", sqlite: statements, postgresql: statements)

    private static let statements = [
        "DROP INDEX events_unordered",
        """
        CREATE INDEX events_unordered ON events (application_id, user_number, id)
        WHERE position IS NULL
        """,
    ]
}
