extension Migration {
    /// An index for the mail of one application, so that the waiting thousands of another one are passed over in one step.
    static let mailQueueIndex = Migration(
        version: 33, name: "mail queue index", sqlite: mailQueueStatements, postgresql: mailQueueStatements)

    private static let mailQueueStatements = [
        "CREATE INDEX mail_queue_by_application ON mail_queue (application_id, next_try_at)"
    ]
}

extension Migration {
    /// What a session came from without another proof, first and last, and ends with; null for a log-in of its own, so that an
    /// automatic one writes two nulls more. No index has them: the sessions of one user are looked through.
    static let sessionOrigins = Migration(
        version: 34, name: "session origins", sqlite: sessionOriginStatements, postgresql: sessionOriginStatements)

    private static let sessionOriginStatements = [
        "ALTER TABLE sessions ADD COLUMN origin TEXT", "ALTER TABLE sessions ADD COLUMN parent TEXT",
    ]
}
