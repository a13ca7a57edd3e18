extension Migration {
    /// Second factors of users: authenticator apps and recovery codes, and, where it is read anyway, who has one, which
    /// devices have passed it, and when a session last showed it.
    static let secondFactors = Migration(
        version: 22, name: "second factors",
        sqlite: statements(integer: "INTEGER", bytes: "BLOB", options: " WITHOUT ROWID"),
        postgresql: statements(integer: "BIGINT", bytes: "BYTEA", options: ""))

    private static func statements(integer: String, bytes: String, options: String) -> [String] {
        [
            "ALTER TABLE users ADD COLUMN second_factor_at \(integer)",
            "ALTER TABLE identities ADD COLUMN second_factor_at \(integer)",
            "ALTER TABLE sessions ADD COLUMN second_factor_at \(integer)",
            """
            CREATE TABLE totp_factors (
                application_id TEXT NOT NULL,
                user_id TEXT NOT NULL,
                id TEXT NOT NULL,
                name TEXT NOT NULL,
                sealed_key \(bytes) NOT NULL,
                last_step \(integer) NOT NULL,
                created_at \(integer) NOT NULL,
                last_used_at \(integer),
                PRIMARY KEY (application_id, user_id, id)
            )\(options)
            """,
            """
            CREATE TABLE recovery_codes (
                application_id TEXT NOT NULL,
                user_id TEXT NOT NULL,
                digest \(bytes) NOT NULL,
                PRIMARY KEY (application_id, user_id, digest)
            )\(options)
            """,
        ]
    }
}

extension Migration {
    /// How a session's owner proved who they are, as the bits of `AuthenticationMethods`; null where the way of log-in says it.
    static let authenticationMethods = Migration(
        version: 23, name: "authentication methods",
        sqlite: ["ALTER TABLE sessions ADD COLUMN methods INTEGER"],
        postgresql: ["ALTER TABLE sessions ADD COLUMN methods BIGINT"])
}
