extension Migration {
    /// What operators list users by, and figures by the hour. All indexes but the one by days hold only the few users that they are about, so
    /// that a first launch pays for one short entry, and an automatic log-in for none but the first of a day.
    static let userLists = Migration(
        version: 14, name: "user lists",
        sqlite: statements(text: "TEXT", integer: "INTEGER", options: " WITHOUT ROWID"),
        postgresql: statements(text: "TEXT", integer: "BIGINT", options: ""))

    private static func statements(text: String, integer: String, options: String) -> [String] {
        [
            // Days since 1970, UTC.
            "ALTER TABLE users ADD COLUMN seen_day \(integer)",
            "ALTER TABLE users ADD COLUMN registered \(integer)",
            """
            UPDATE users SET seen_day = COALESCE(last_log_in_at, created_at) / 86400000,
                registered = CASE WHEN username IS NOT NULL OR email IS NOT NULL OR phone IS NOT NULL
                    OR EXISTS (SELECT 1 FROM identities WHERE identities.application_id = users.application_id
                        AND identities.user_id = users.id AND identities.provider NOT IN ('device', 'anonymous'))
                    THEN 1 END
            """,
            "CREATE INDEX users_by_day ON users (application_id, seen_day, id)",
            "CREATE INDEX users_registered ON users (application_id, id) WHERE registered = 1",
            "CREATE INDEX users_weak ON users (application_id, id) WHERE weak_password_at IS NOT NULL",
            "CREATE INDEX users_disabled ON users (application_id, id) WHERE disabled_at IS NOT NULL",
            "CREATE INDEX users_leaving ON users (application_id, id) WHERE deletion_requested_at IS NOT NULL",
            """
            CREATE INDEX users_by_name ON users (application_id, lower(display_name), id)
            WHERE display_name IS NOT NULL
            """,
            """
            CREATE INDEX identities_by_provider ON identities (application_id, provider, user_id)
            WHERE provider <> 'device'
            """,
            """
            CREATE INDEX sessions_by_protocol ON sessions (application_id, protocol, user_id, id)
            WHERE protocol <> 'native'
            """,
            """
            CREATE TABLE figures (
                application_id \(text) NOT NULL,
                hour \(integer) NOT NULL,
                name \(text) NOT NULL,
                value \(integer) NOT NULL,
                PRIMARY KEY (application_id, hour, name)
            )\(options)
            """,
            "CREATE INDEX merges_by_id ON merges (application_id, id)",
        ]
    }
}
