extension Migration {
    /// Which tokens an import brought, so that a second run brings none back whose session has ended (decision 0159). Those of
    /// before are what sessions of old protocols are left.
    static let importedTokens = Migration(
        version: 32, name: "imported tokens", sqlite: statements(bytes: "BLOB", options: " WITHOUT ROWID"),
        postgresql: statements(bytes: "BYTEA", options: ""))

    private static func statements(bytes: String, options: String) -> [String] {
        [
            """
            CREATE TABLE imported_tokens (
                application_id TEXT NOT NULL,
                token_digest \(bytes) NOT NULL,
                PRIMARY KEY (application_id, token_digest)
            )\(options)
            """,
            """
            INSERT INTO imported_tokens (application_id, token_digest)
            SELECT application_id, token_lookup FROM sessions
            WHERE token_lookup IS NOT NULL AND protocol <> 'native'
            """,
        ]
    }
}
