extension Migration {
    /// How a session's owner proved who they are, as the bits of `AuthenticationMethods`; null where the way of log-in says it.
    static let authenticationMethods = Migration(
        version: 23, name: "authentication methods",
        sqlite: ["ALTER TABLE sessions ADD COLUMN methods INTEGER"],
        postgresql: ["ALTER TABLE sessions ADD COLUMN methods BIGINT"])
}
