extension Migration {
    /// The keys by which applications are known in foreign protocols.
    ///
    /// A row of the whole installation, like the applications themselves: requests name the public key alone.
    static let foreignProtocols = Migration(
        version: 10, name: "foreign protocols",
        sqlite: foreignProtocolStatements(options: " WITHOUT ROWID"),
        postgresql: foreignProtocolStatements(options: ""))

    private static func foreignProtocolStatements(options: String) -> [String] {
        [
            """
            CREATE TABLE protocol_keys (
                protocol TEXT NOT NULL,
                public_key TEXT NOT NULL,
                application_id TEXT NOT NULL,
                keys TEXT NOT NULL,
                PRIMARY KEY (protocol, public_key)
            )\(options)
            """,
            "CREATE UNIQUE INDEX protocol_keys_by_application ON protocol_keys (application_id, protocol)",
        ]
    }
}

extension Migration {
    /// Who may read and change a user beside the user itself, and whether everybody may read, by which searches are
    /// narrowed; and since when a user is known whose password is the user name.
    static let accessLists = Migration(
        version: 11, name: "access lists",
        sqlite: statements(text: "TEXT", integer: "INTEGER"), postgresql: statements(text: "TEXT", integer: "BIGINT"))

    private static func statements(text: String, integer: String) -> [String] {
        [
            "ALTER TABLE users ADD COLUMN access_list \(text)",
            "ALTER TABLE users ADD COLUMN public_read \(integer)",
            "CREATE INDEX users_by_public_read ON users (application_id, public_read, id) WHERE public_read IS NOT NULL",
            "ALTER TABLE users ADD COLUMN weak_password_at \(integer)",
            """
            CREATE INDEX users_by_weak_password ON users (application_id, weak_password_at, id)
            WHERE weak_password_at IS NOT NULL
            """,
        ]
    }
}

extension Migration {
    /// Which installation of an app a session belongs to, in protocols that have names for them.
    static let installations = Migration(
        version: 12, name: "installations", sqlite: ["ALTER TABLE sessions ADD COLUMN installation TEXT"],
        postgresql: ["ALTER TABLE sessions ADD COLUMN installation TEXT"])
}
