extension Migration {
    /// Transfer codes that wait, and the devices that joined by one.
    static let transfers = Migration(
        version: 7, name: "transfers",
        sqlite: transferStatements(text: "TEXT", integer: "INTEGER", bytes: "BLOB", options: " WITHOUT ROWID"),
        postgresql: transferStatements(
            text: "TEXT", integer: "BIGINT", bytes: "BYTEA", options: ""))

    private static func transferStatements(text: String, integer: String, bytes: String, options: String) -> [String] {
        [
            """
            CREATE TABLE transfer_codes (
                application_id \(text) NOT NULL,
                user_id \(text) NOT NULL,
                digest \(bytes) NOT NULL,
                issued_at \(integer) NOT NULL,
                PRIMARY KEY (application_id, user_id)
            )\(options)
            """,
            "CREATE UNIQUE INDEX transfer_codes_by_digest ON transfer_codes (application_id, digest)",
            "CREATE INDEX transfer_codes_by_time ON transfer_codes (issued_at)",
            """
            CREATE TABLE transfers (
                application_id \(text) NOT NULL,
                user_id \(text) NOT NULL,
                id \(text) NOT NULL,
                device_key \(text) NOT NULL,
                device_name \(text),
                device_model \(text),
                device_system \(text),
                device_app_version \(text),
                address \(text),
                code_digest \(bytes) NOT NULL,
                left_user_id \(text),
                redeemed_at \(integer) NOT NULL,
                acknowledged_at \(integer),
                undone_at \(integer),
                PRIMARY KEY (application_id, user_id, id)
            )\(options)
            """,
            "CREATE UNIQUE INDEX transfers_by_code ON transfers (application_id, code_digest)",
            "CREATE INDEX transfers_by_time ON transfers (redeemed_at)",
        ]
    }
}

extension Migration {
    /// Finding users that are to be erased, and what the audit log says of one user.
    static let deletion = Migration(
        version: 8, name: "deletion", sqlite: deletionStatements, postgresql: deletionStatements)

    private static let deletionStatements = [
        """
        CREATE INDEX users_to_erase ON users (application_id, deletion_requested_at)
        WHERE deletion_requested_at IS NOT NULL
        """,
        "CREATE INDEX audit_entries_by_actor ON audit_entries (application_id, actor, id)",
        "CREATE INDEX audit_entries_by_target ON audit_entries (application_id, target, id)",
    ]
}
