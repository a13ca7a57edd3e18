extension Migration {
    /// Sessions are stored beside the other sessions of their user, and a device's next log-in takes the slot of its last one
    /// (decision 0125): one page is written where there were three. Tokens that do not say whose they are, those of other
    /// protocols and those from before, are found by an index of their own.
    ///
    /// No index has a column that such a log-in changes, so that PostgreSQL can leave indexes alone.
    static let sessionSlots = Migration(
        version: 29, name: "session slots",
        sqlite: table(integer: "INTEGER", bytes: "BLOB", options: " WITHOUT ROWID") + indexes,
        postgresql: table(
            // Room for the next log-in's row on the page of the last one's.
            integer: "BIGINT", bytes: "BYTEA", options: " WITH (fillfactor = 70)")
            + ["ALTER INDEX slotted_sessions_pkey RENAME TO sessions_pkey"] + indexes)

    private static func table(integer: String, bytes: String, options: String) -> [String] {
        [
            """
            CREATE TABLE slotted_sessions (
                application_id TEXT NOT NULL,
                user_id TEXT NOT NULL,
                slot TEXT NOT NULL,
                token_digest \(bytes) NOT NULL,
                token_lookup \(bytes),
                id TEXT NOT NULL,
                device_key TEXT,
                device_name TEXT,
                device_model TEXT,
                device_system TEXT,
                device_app_version TEXT,
                installation TEXT,
                address TEXT,
                protocol TEXT NOT NULL,
                method TEXT NOT NULL,
                created_at \(integer) NOT NULL,
                last_used_at \(integer) NOT NULL,
                expires_at \(integer) NOT NULL,
                authenticated_at \(integer),
                attempt_digest \(bytes),
                attempt_request_digest \(bytes),
                attempt_was_new \(integer),
                attempt_previous_log_in_at \(integer),
                fields TEXT,
                updated_at \(integer),
                second_factor_at \(integer),
                methods \(integer),
                PRIMARY KEY (application_id, user_id, slot)
            )\(options)
            """,
            """
            INSERT INTO slotted_sessions (application_id, user_id, slot, token_lookup, \(kept))
            SELECT application_id, user_id, id, token_digest, \(kept) FROM sessions
            ORDER BY application_id, user_id, id
            """,
            "DROP TABLE sessions",
            "ALTER TABLE slotted_sessions RENAME TO sessions",
        ]
    }

    private static let indexes = [
        """
        CREATE UNIQUE INDEX sessions_by_token ON sessions (application_id, token_lookup)
        WHERE token_lookup IS NOT NULL
        """,
        """
        CREATE INDEX sessions_by_protocol ON sessions (application_id, protocol, user_id, slot)
        WHERE protocol <> 'native'
        """,
        "CREATE INDEX sessions_by_id ON sessions (application_id, id) WHERE protocol <> 'native'",
    ]

    private static let kept = """
        token_digest, id, device_key, device_name, device_model, device_system, device_app_version, installation,
        address, protocol, method, created_at, last_used_at, expires_at, authenticated_at, attempt_digest,
        attempt_request_digest, attempt_was_new, attempt_previous_log_in_at, fields, updated_at, second_factor_at,
        methods
        """
}
