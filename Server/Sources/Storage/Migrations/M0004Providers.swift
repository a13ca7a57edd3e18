extension Migration {
    /// Identity providers: settings, what they said about linked people, grants that must still be revoked.
    static let providers = Migration(
        version: 4, name: "providers",
        sqlite: providerStatements(
            text: "TEXT", integer: "INTEGER", bytes: "BLOB", json: "TEXT", options: " WITHOUT ROWID"),
        postgresql: providerStatements(
            text: "TEXT", integer: "BIGINT", bytes: "BYTEA", json: "TEXT", options: ""))

    private static func providerStatements(
        text: String, integer: String, bytes: String, json: String, options: String
    ) -> [String] {
        [
            """
            CREATE TABLE providers (
                application_id \(text) NOT NULL,
                provider \(text) NOT NULL,
                settings \(json) NOT NULL,
                sealed_secret \(bytes),
                updated_at \(integer) NOT NULL,
                PRIMARY KEY (application_id, provider)
            )\(options)
            """,
            """
            CREATE TABLE provider_accounts (
                application_id \(text) NOT NULL,
                provider \(text) NOT NULL,
                subject \(text) NOT NULL,
                audience \(text) NOT NULL,
                sealed_grant \(bytes),
                email \(text),
                email_is_verified \(integer),
                email_is_relay \(integer),
                email_is_forwarded \(integer) NOT NULL,
                transfer_subject \(text),
                updated_at \(integer) NOT NULL,
                PRIMARY KEY (application_id, provider, subject)
            )\(options)
            """,
            """
            CREATE INDEX provider_accounts_by_transfer
                ON provider_accounts (application_id, provider, transfer_subject)
            """,
            """
            CREATE TABLE provider_revocations (
                application_id \(text) NOT NULL,
                id \(text) NOT NULL,
                provider \(text) NOT NULL,
                audience \(text) NOT NULL,
                sealed_grant \(bytes) NOT NULL,
                failures \(integer) NOT NULL,
                due_at \(integer) NOT NULL,
                created_at \(integer) NOT NULL,
                PRIMARY KEY (application_id, id)
            )\(options)
            """,
            "CREATE INDEX provider_revocations_by_time ON provider_revocations (due_at)",
        ]
    }
}
