extension Migration {
    /// What apps keep of sessions, in protocols in which sessions are objects of apps: their fields as JSON, and when these or
    /// the end were last changed. Both are null until then.
    static let sessionObjects = Migration(
        version: 21, name: "session objects",
        sqlite: [
            "ALTER TABLE sessions ADD COLUMN fields TEXT",
            "ALTER TABLE sessions ADD COLUMN updated_at INTEGER",
        ],
        postgresql: [
            "ALTER TABLE sessions ADD COLUMN fields TEXT",
            "ALTER TABLE sessions ADD COLUMN updated_at BIGINT",
        ])
}
