extension Migration {
    /// An index for the mail of one application, so that the waiting thousands of another one are passed over in one step.
    static let mailQueueIndex = Migration(
        version: 33, name: "mail queue index", sqlite: mailQueueStatements, postgresql: mailQueueStatements)

    private static let mailQueueStatements = [
        "CREATE INDEX mail_queue_by_application ON mail_queue (application_id, next_try_at)"
    ]
}
