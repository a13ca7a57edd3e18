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

extension Migration {
    /// How a refresh made the token of a session, so that one whose response was lost gets the same pair again (decision 0181): null
    /// for sessions whose tokens are not refreshed, which are nearly all. The former token is looked for by an index of its own.
    static let tokenRefreshes = Migration(
        version: 35, name: "token refreshes", sqlite: tokenRefreshStatements(integer: "INTEGER", bytes: "BLOB"),
        postgresql: tokenRefreshStatements(integer: "BIGINT", bytes: "BYTEA"))

    private static func tokenRefreshStatements(integer: String, bytes: String) -> [String] {
        [
            "ALTER TABLE sessions ADD COLUMN former_digest \(bytes)",
            "ALTER TABLE sessions ADD COLUMN refresh_seed \(bytes)",
            "ALTER TABLE sessions ADD COLUMN refreshed_at \(integer)",
            "ALTER TABLE sessions ADD COLUMN refreshed_until \(integer)",
            """
            CREATE INDEX sessions_by_former_token ON sessions (application_id, former_digest)
            WHERE former_digest IS NOT NULL
            """,
        ]
    }
}

extension Migration {
    /// What was kept beside identities that lead to nobody: the ids that clients made stayed when their users were erased.
    static let ownerlessAccounts = Migration(
        version: 36, name: "ownerless accounts", sqlite: ownerlessAccountStatements,
        postgresql: ownerlessAccountStatements)

    private static let ownerlessAccountStatements = [
        """
        DELETE FROM provider_accounts WHERE NOT EXISTS (
            SELECT 1 FROM identities WHERE identities.application_id = provider_accounts.application_id
                AND identities.provider = provider_accounts.provider
                AND identities.subject = provider_accounts.subject)
        """
    ]
}

extension Migration {
    /// When another service's user was taken in, so that a guest is not idle by what is known of the time before; and by which way of
    /// log-in a device's key joined, with which it ends, also over the ticket of a merge. All are null for what was made here at the
    /// first launch, and for what was there before this step.
    static let importsAndJoins = Migration(
        version: 37, name: "imports and joins", sqlite: importAndJoinStatements(integer: "INTEGER"),
        postgresql: importAndJoinStatements(integer: "BIGINT"))

    private static func importAndJoinStatements(integer: String) -> [String] {
        [
            "ALTER TABLE users ADD COLUMN imported_at \(integer)", "ALTER TABLE identities ADD COLUMN joined_by TEXT",
            "ALTER TABLE merge_tickets ADD COLUMN shown_by TEXT",
        ]
    }
}

extension Migration {
    /// The names that a provider's account had at the teams before, with blanks between them: devices of old protocols send them on.
    /// Null for one that never moved, which are nearly all.
    static let formerNames = Migration(
        version: 38, name: "former names", sqlite: formerNameStatements, postgresql: formerNameStatements)

    private static let formerNameStatements = ["ALTER TABLE provider_accounts ADD COLUMN former_names TEXT"]
}

extension Migration {
    /// An index for merges by who left: each erasure looked through all merges of its application while all changes waited.
    static let leftUserIndex = Migration(
        version: 39, name: "left user index", sqlite: leftUserStatements, postgresql: leftUserStatements)

    private static let leftUserStatements = [
        "CREATE INDEX merges_by_left_user ON merges (application_id, left_user_id)"
    ]
}

extension Migration {
    /// An index for passkeys by their ids alone: an assertion by one that leads to nobody in its application asks whether anybody
    /// else has it (decision 0299).
    static let passkeyIndex = Migration(
        version: 40, name: "passkey index", sqlite: passkeyIndexStatements, postgresql: passkeyIndexStatements)

    private static let passkeyIndexStatements = ["CREATE INDEX passkeys_by_credential ON passkeys (credential_id)"]
}
