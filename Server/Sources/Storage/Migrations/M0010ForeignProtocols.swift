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
