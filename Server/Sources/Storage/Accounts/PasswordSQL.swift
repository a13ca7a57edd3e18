package import Domain

extension SQLTransaction {
    package func passwordHash(
        of identifier: LogInIdentifier, in application: Identifier<Application>
    ) throws(DomainError) -> (user: Identifier<User>, hash: PasswordHash?)? {
        try connection.row(
            """
            SELECT identifiers.user_id, passwords.hash FROM identifiers
            LEFT JOIN passwords ON passwords.application_id = identifiers.application_id
                AND passwords.user_id = identifiers.user_id
            WHERE identifiers.application_id = $1 AND identifiers.kind = $2 AND identifiers.value = $3
            """,
            [.id(application), .text(identifier.kind.rawValue), .text(identifier.folded)]
        ) { row throws(DomainError) in (row.id(0), row.optionalText(1).map(PasswordHash.init(text:))) }
    }

    package func passwordHash(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> PasswordHash? {
        try connection.row(
            "SELECT hash FROM passwords WHERE application_id = $1 AND user_id = $2", [.id(application), .id(user)]
        ) { row throws(DomainError) in PasswordHash(text: row.text(0)) }
    }

    package func setPassword(
        _ hash: PasswordHash, of user: Identifier<User>, in application: Identifier<Application>, at now: Timestamp
    ) throws(DomainError) {
        try connection.run(
            """
            INSERT INTO passwords (application_id, user_id, hash) VALUES ($1, $2, $3)
            ON CONFLICT (application_id, user_id) DO UPDATE SET hash = $3
            """,
            [.id(application), .id(user), .text(hash.text)])
        try noteScheme(of: hash, in: application, at: now)
        try connection.run(
            """
            UPDATE users SET password_set_at = $1, updated_at = $1, weak_password_at = NULL
            WHERE application_id = $2 AND id = $3
            """,
            [.time(now), .id(application), .id(user)])
        note(.user(application, user))
    }

    package func removePassword(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) {
        try connection.run(
            "DELETE FROM passwords WHERE application_id = $1 AND user_id = $2", [.id(application), .id(user)])
        try connection.run(
            "UPDATE users SET password_set_at = NULL, weak_password_at = NULL WHERE application_id = $1 AND id = $2",
            [.id(application), .id(user)])
        note(.user(application, user))
    }

    package func markPassword(
        of user: Identifier<User>, in application: Identifier<Application>, weakSince time: Timestamp?
    ) throws(DomainError) {
        try connection.run(
            "UPDATE users SET weak_password_at = $1 WHERE application_id = $2 AND id = $3",
            [.optional(time), .id(application), .id(user)])
        note(.user(application, user))
    }

    package func weakPasswords(in application: Identifier<Application>) throws(DomainError) -> WeakPasswords {
        let found = try connection.row(
            """
            SELECT COUNT(*), COALESCE(SUM(CASE WHEN EXISTS (
                    SELECT 1 FROM identities WHERE identities.application_id = users.application_id
                        AND identities.user_id = users.id AND identities.provider = 'device'
                ) THEN 0 ELSE 1 END), 0)
            FROM users WHERE application_id = $1 AND weak_password_at IS NOT NULL
            """,
            [.id(application)]
        ) { row throws(DomainError) in
            WeakPasswords(users: row.count(0), usersWithoutDeviceKey: row.count(1))
        }
        return found ?? WeakPasswords(users: 0, usersWithoutDeviceKey: 0)
    }

    package func replacePasswordHash(
        _ before: PasswordHash, with hash: PasswordHash, of user: Identifier<User>,
        in application: Identifier<Application>, at now: Timestamp
    ) throws(DomainError) {
        try noteScheme(of: hash, in: application, at: now)
        try connection.run(
            "UPDATE passwords SET hash = $1 WHERE application_id = $2 AND user_id = $3 AND hash = $4",
            [.text(hash.text), .id(application), .id(user), .text(before.text)])
    }
}
