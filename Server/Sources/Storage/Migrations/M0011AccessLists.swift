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
