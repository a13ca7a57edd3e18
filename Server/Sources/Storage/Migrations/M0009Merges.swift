extension Migration {
    /// Tickets for the merge of two users, merges that can be undone, and events for other programs.
    static let merges = Migration(
        version: 9, name: "merges",
        sqlite: mergeStatements(text: "TEXT", integer: "INTEGER", bytes: "BLOB", options: " WITHOUT ROWID"),
        postgresql: mergeStatements(
            text: "TEXT", integer: "BIGINT", bytes: "BYTEA", options: ""))

    private static func mergeStatements(text: String, integer: String, bytes: String, options: String) -> [String] {
        [
            """
            CREATE TABLE merge_tickets (
                application_id \(text) NOT NULL,
                digest \(bytes) NOT NULL,
                user_id \(text) NOT NULL,
                other_id \(text) NOT NULL,
                expires_at \(integer) NOT NULL,
                PRIMARY KEY (application_id, digest)
            )\(options)
            """,
            "CREATE INDEX merge_tickets_by_end ON merge_tickets (expires_at)",
            """
            CREATE TABLE merges (
                application_id \(text) NOT NULL,
                user_id \(text) NOT NULL,
                id \(text) NOT NULL,
                left_user_id \(text) NOT NULL,
                moved \(text) NOT NULL,
                merged_at \(integer) NOT NULL,
                PRIMARY KEY (application_id, user_id, id)
            )\(options)
            """,
            "CREATE INDEX merges_by_time ON merges (merged_at)",
            """
            CREATE TABLE events (
                application_id \(text) NOT NULL,
                id \(text) NOT NULL,
                kind \(text) NOT NULL,
                happened_at \(integer) NOT NULL,
                body \(text) NOT NULL,
                PRIMARY KEY (application_id, id)
            )\(options)
            """,
        ]
    }
}
