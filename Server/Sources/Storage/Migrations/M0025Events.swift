extension Migration {
    /// Events of users, the endpoints they are sent to, and what waits for them. The rows that merges left before had no readers.
    static let events = Migration(
        version: 25, name: "events",
        sqlite: statements(integer: "INTEGER", bytes: "BLOB", options: " WITHOUT ROWID"),
        postgresql: statements(integer: "BIGINT", bytes: "BYTEA", options: ""))

    private static func statements(integer: String, bytes: String, options: String) -> [String] {
        [
            "DROP TABLE events",
            """
            CREATE TABLE events (
                application_id TEXT NOT NULL,
                id TEXT NOT NULL,
                type TEXT NOT NULL,
                user_id TEXT NOT NULL,
                left_user_id TEXT,
                happened_at \(integer) NOT NULL,
                details TEXT NOT NULL,
                user_number \(integer) NOT NULL,
                position \(integer),
                PRIMARY KEY (application_id, id)
            )\(options)
            """,
            "CREATE INDEX events_by_position ON events (application_id, position)",
            "CREATE INDEX events_by_user ON events (application_id, user_id, user_number)",
            "CREATE INDEX events_unordered ON events (user_number, id) WHERE position IS NULL",
            """
            CREATE TABLE event_streams (
                application_id TEXT NOT NULL PRIMARY KEY,
                position \(integer) NOT NULL
            )\(options)
            """,
            """
            CREATE TABLE event_endpoints (
                application_id TEXT NOT NULL,
                id TEXT NOT NULL,
                url TEXT NOT NULL,
                types TEXT NOT NULL,
                includes_user \(integer) NOT NULL,
                is_paused \(integer) NOT NULL,
                created_at \(integer) NOT NULL,
                sealed_secret \(bytes) NOT NULL,
                sealed_former \(bytes),
                former_until \(integer),
                failures \(integer) NOT NULL,
                resumes_at \(integer) NOT NULL,
                PRIMARY KEY (application_id, id)
            )\(options)
            """,
            """
            CREATE TABLE event_deliveries (
                application_id TEXT NOT NULL,
                endpoint_id TEXT NOT NULL,
                position \(integer) NOT NULL,
                event_id TEXT NOT NULL,
                user_id TEXT NOT NULL,
                attempts \(integer) NOT NULL,
                next_try_at \(integer),
                is_given_up \(integer) NOT NULL,
                last_fault TEXT,
                claim TEXT,
                PRIMARY KEY (application_id, endpoint_id, position)
            )\(options)
            """,
            "CREATE INDEX event_deliveries_due ON event_deliveries (application_id, endpoint_id, next_try_at)",
            """
            CREATE INDEX event_deliveries_by_user
            ON event_deliveries (application_id, endpoint_id, user_id, is_given_up, position)
            """,
        ]
    }
}
