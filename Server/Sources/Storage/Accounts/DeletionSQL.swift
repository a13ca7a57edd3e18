package import Domain

extension SQLTransaction {
    package func usersToErase(
        in application: Identifier<Application>, requestedBefore limit: Timestamp, count: Int
    ) throws(DomainError) -> [Identifier<User>] {
        try connection.rows(
            """
            SELECT id FROM users
            WHERE application_id = $1 AND deletion_requested_at IS NOT NULL AND deletion_requested_at <= $2
            ORDER BY deletion_requested_at LIMIT $3
            """,
            [.id(application), .time(limit), .count(count)]
        ) { row throws(DomainError) in row.only.id() }
    }

    package func usersLeaving(
        in application: Identifier<Application>, requestedAfter time: Timestamp, count: Int
    ) throws(DomainError) -> [Identifier<User>] {
        try connection.rows(
            """
            SELECT id FROM users
            WHERE application_id = $1 AND deletion_requested_at IS NOT NULL AND deletion_requested_at > $2
            ORDER BY deletion_requested_at LIMIT $3
            """,
            [.id(application), .time(time), .count(count)]
        ) { row throws(DomainError) in row.only.id() }
    }

    package func erase(_ user: Identifier<User>, in application: Identifier<Application>) throws(DomainError) {
        _ = try endSessions(of: user, in: application, except: nil)
        let statements: [Query] = [
            """
            DELETE FROM passkeys WHERE application_id = $1 AND credential_id IN (
                SELECT subject FROM identities
                WHERE application_id = $1 AND user_id = $2 AND provider = 'passkey')
            """,
            // The ids that clients made; what is kept of other identities has gone with their grants.
            """
            DELETE FROM provider_accounts WHERE application_id = $1 AND provider = 'anonymous' AND subject IN (
                SELECT subject FROM identities
                WHERE application_id = $1 AND user_id = $2 AND provider = 'anonymous')
            """,
            "DELETE FROM totp_factors WHERE application_id = $1 AND user_id = $2",
            "DELETE FROM recovery_codes WHERE application_id = $1 AND user_id = $2",
            "DELETE FROM identities WHERE application_id = $1 AND user_id = $2",
            "DELETE FROM identifiers WHERE application_id = $1 AND user_id = $2",
            "DELETE FROM passwords WHERE application_id = $1 AND user_id = $2",
            "DELETE FROM mailed_codes WHERE application_id = $1 AND user_id = $2",
            "DELETE FROM transfer_codes WHERE application_id = $1 AND user_id = $2",
            "DELETE FROM transfers WHERE application_id = $1 AND user_id = $2",
            // Two statements for a table, so that each has its index.
            "DELETE FROM merge_tickets WHERE application_id = $1 AND user_id = $2",
            "DELETE FROM merge_tickets WHERE application_id = $1 AND other_id = $2",
            "DELETE FROM merges WHERE application_id = $1 AND user_id = $2",
            "DELETE FROM merges WHERE application_id = $1 AND left_user_id = $2",
            "DELETE FROM members WHERE application_id = $1 AND user_id = $2",
            "DELETE FROM removed_device_keys WHERE application_id = $1 AND user_id = $2",
            // What is left of the user's events is the id. Why the user was erased is said by nothing else. They are looked for in
            // their index alone, for which SQLite would else not take it.
            """
            UPDATE events SET details = '{}'
            WHERE application_id = $1 AND id IN (SELECT id FROM events WHERE application_id = $1 AND user_id = $2)
                AND type <> 'user.erased' AND details <> '{}'
            """,
            "DELETE FROM users WHERE application_id = $1 AND id = $2",
        ]
        for statement in statements { try connection.run(statement, [.id(application), .id(user)]) }
        note(.user(application, user))
    }

    package func idleUsers(
        in application: Identifier<Application>, loggedInBefore limit: Timestamp, after id: Identifier<User>?,
        count: Int
    ) throws(DomainError) -> [Identifier<User>] {
        try connection.rows(
            """
            SELECT id FROM users
            WHERE application_id = $1 AND id > $2 AND COALESCE(last_log_in_at, created_at) < $3
                AND (imported_at IS NULL OR imported_at < $3)
                AND username IS NULL AND email IS NULL AND phone IS NULL
            ORDER BY id LIMIT $4
            """,
            [.id(application), .text(id?.rawValue ?? ""), .time(limit), .count(count)]
        ) { row throws(DomainError) in row.only.id() }
    }

    package func noteImport(
        of user: Identifier<User>, in application: Identifier<Application>, at time: Timestamp
    ) throws(DomainError) {
        try connection.run(
            "UPDATE users SET imported_at = $1 WHERE application_id = $2 AND id = $3",
            [.time(time), .id(application), .id(user)])
    }

    package func importTime(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> Timestamp? {
        let found = try connection.row(
            "SELECT imported_at FROM users WHERE application_id = $1 AND id = $2", [.id(application), .id(user)]
        ) { row throws(DomainError) in row.only.optionalTime(.only) }
        return found ?? nil
    }
}
