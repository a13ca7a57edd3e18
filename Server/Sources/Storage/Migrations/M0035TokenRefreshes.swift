extension Migration {
    /// How a refresh made the token of a session, so that one whose response was lost gets the same pair again (decision 0181): null
    /// for sessions whose tokens are not refreshed, which are nearly all. The former token is looked for by an index of its own.
    static let tokenRefreshes = Migration(
        version: 35, name: "token refreshes", sqlite: tokenRefreshStatements(integer: "INTEGER", bytes: "BLOB"),
        postgresql: tokenRefreshStatements(integer: "BIGINT", bytes: "BYTEA"))

    private static func tokenRefreshStatements(integer: String, bytes: String) -> [String] {
        [
            "ALTER TABLE sessions ADD COLUMN former_digest \(bytes)",
            "ALTER TABLE sessions ADD COLUMN refresh_seed \(bytes)",
            "ALTER TABLE sessions ADD COLUMN refreshed_at \(integer)",
            "ALTER TABLE sessions ADD COLUMN refreshed_until \(integer)",
            """
            CREATE INDEX sessions_by_former_token ON sessions (application_id, former_digest)
            WHERE former_digest IS NOT NULL
            """,
        ]
    }
}
