package import Domain

extension SQLTransaction {
    package func passwordHash(
        of identifier: LogInIdentifier, in application: Identifier<Application>
    ) throws(DomainError) -> (user: Identifier<User>, hash: PasswordHash?)? {
        try connection.row(
            .select(
                Joined<IdentifierOwnerRow, PasswordRow>.self,
                """
                FROM identifiers
                LEFT JOIN passwords ON passwords.application_id = identifiers.application_id
                    AND passwords.user_id = identifiers.user_id
                WHERE identifiers.application_id = $1 AND identifiers.kind = $2 AND identifiers.value IN ($3, $4)
                ORDER BY CASE WHEN identifiers.value = $3 THEN 0 ELSE 1 END LIMIT 1
                """),
            [
                .id(application), .text(identifier.kind.rawValue), .text(identifier.exact), .text(identifier.folded),
            ]
        ) { row throws(DomainError) in
            (
                try IdentifierOwnerRow.content(ColumnReader(row)),
                try PasswordRow.content(ColumnReader(row, from: IdentifierOwnerRow.width))
            )
        }
    }

    package func passwordHash(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> PasswordHash? {
        try connection.first(
            PasswordRow.self, "FROM passwords WHERE application_id = $1 AND user_id = $2",
            [.id(application), .id(user)]) ?? nil
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

    package func noteUnknownPassword(
        of user: Identifier<User>, in application: Identifier<Application>, since instant: Timestamp
    ) throws(DomainError) {
        try connection.run(
            "UPDATE users SET password_set_at = $1 WHERE application_id = $2 AND id = $3",
            [.time(instant), .id(application), .id(user)])
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
            let counts = ColumnReader<WeakPasswordColumn>(row)
            return WeakPasswords(
                users: counts.count(.users), usersWithoutDeviceKey: counts.count(.usersWithoutDeviceKey))
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

/// The user that an identifier leads to.
enum IdentifierOwnerRow: Row {
    static let table: StaticString = "identifiers"
    static let width = Column.allCases.count

    enum Column: Int, RowColumn {
        case userId
    }

    static func content(_ row: ColumnReader<Column>) throws(DomainError) -> Identifier<User> { row.id(.userId) }
}

/// A hash, or null beside a user without a password.
enum PasswordRow: Row {
    static let table: StaticString = "passwords"

    enum Column: Int, RowColumn {
        case hash
    }

    static func content(_ row: ColumnReader<Column>) throws(DomainError) -> PasswordHash? {
        row.optionalText(.hash).map(PasswordHash.init(text:))
    }
}

private enum WeakPasswordColumn: Int, RowColumn {
    case users, usersWithoutDeviceKey
}
