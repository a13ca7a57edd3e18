extension Migration {
    /// The latest device proof that a server took in memory; one row.
    static let proofTimes = Migration(
        version: 27, name: "times of proofs", sqlite: [statement(integer: "INTEGER")],
        postgresql: [statement(integer: "BIGINT")])

    private static func statement(integer: String) -> String {
        "CREATE TABLE proof_times (id INTEGER NOT NULL PRIMARY KEY, latest \(integer) NOT NULL)"
    }
}

extension Migration {
    /// Who was given which role or group. Users name theirs too, so that no request reads another row for them.
    static let roles = Migration(
        version: 28, name: "roles", sqlite: statements(options: " WITHOUT ROWID"),
        postgresql: statements(options: ""))

    private static func statements(options: String) -> [String] {
        [
            "ALTER TABLE users ADD COLUMN grants TEXT",
            """
            CREATE TABLE members (
                application_id TEXT NOT NULL,
                grant_id TEXT NOT NULL,
                user_id TEXT NOT NULL,
                PRIMARY KEY (application_id, grant_id, user_id)
            )\(options)
            """,
            "CREATE INDEX members_by_user ON members (application_id, user_id)",
        ]
    }
}
