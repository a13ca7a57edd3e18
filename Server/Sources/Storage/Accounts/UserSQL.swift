package import Domain
import enum OkaeriWire.JSONValue

extension SQLTransaction {
    package func user(_ id: Identifier<User>, in application: Identifier<Application>) throws(DomainError) -> User? {
        let user = try connection.row(
            """
            SELECT application_id, id, display_name, locale, fields, created_at, updated_at, last_log_in_at,
                previous_log_in_at, username, email, email_verified_at, phone, phone_verified_at, password_set_at,
                disabled_at, deletion_requested_at, access_list, weak_password_at, credentials_version
            FROM users WHERE application_id = $1 AND id = $2
            """,
            [.id(application), .id(id)]
        ) { row throws(DomainError) in try Self.user(row, from: 0) }
        guard var user else { return nil }
        user.identities = try identities(of: id, in: application)
        return user
    }

    package func users(
        in application: Identifier<Application>, after id: Identifier<User>?, limit: Int
    ) throws(DomainError) -> [User] {
        var users = try connection.rows(
            """
            SELECT application_id, id, display_name, locale, fields, created_at, updated_at, last_log_in_at,
                previous_log_in_at, username, email, email_verified_at, phone, phone_verified_at, password_set_at,
                disabled_at, deletion_requested_at, access_list, weak_password_at, credentials_version
            FROM users WHERE application_id = $1 AND id > $2 ORDER BY id LIMIT $3
            """,
            [.id(application), .text(id?.rawValue ?? ""), .count(limit)]
        ) { row throws(DomainError) in try Self.user(row, from: 0) }
        for place in users.indices {
            users[place].identities = try identities(of: users[place].id, in: application)
        }
        return users
    }

    package func insert(_ user: User) throws(DomainError) {
        try connection.run(
            """
            INSERT INTO users (application_id, id, display_name, locale, fields, created_at, updated_at,
                last_log_in_at, previous_log_in_at, access_list, public_read, seen_day)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            """,
            [
                .id(user.application), .id(user.id), .optional(user.displayName), .optional(user.locale),
                try Self.stored(user.fields), .time(user.createdAt), .time(user.updatedAt),
                .optional(user.lastLogInAt), .optional(user.previousLogInAt),
                .optional(try user.acl.map(JSONText.encode(listed:))), Self.publicRead(of: user),
                .integer((user.lastLogInAt ?? user.createdAt).day),
            ])
    }

    package func updateProfile(of user: User) throws(DomainError) {
        try connection.run(
            """
            UPDATE users SET display_name = $1, locale = $2, fields = $3, updated_at = $4
            WHERE application_id = $5 AND id = $6
            """,
            [
                .optional(user.displayName), .optional(user.locale), try Self.stored(user.fields),
                .time(user.updatedAt), .id(user.application), .id(user.id),
            ])
        note(.user(user.application, user.id))
    }

    package func updateACL(of user: User) throws(DomainError) {
        try connection.run(
            """
            UPDATE users SET access_list = $1, public_read = $2, updated_at = $3 WHERE application_id = $4 AND id = $5
            """,
            [
                .optional(try user.acl.map(JSONText.encode(listed:))),
                Self.publicRead(of: user), .time(user.updatedAt), .id(user.application),
                .id(user.id),
            ])
        note(.user(user.application, user.id))
    }

    package func updateLogInTimes(of user: User) throws(DomainError) {
        let times: [Value] = [.optional(user.lastLogInAt), .optional(user.previousLogInAt)]
        let place: [Value] = [.id(user.application), .id(user.id)]
        // Only the first log-in of a day names the day: a statement that does so writes its index.
        if let last = user.lastLogInAt, last.day != user.previousLogInAt?.day {
            try connection.run(
                """
                UPDATE users SET last_log_in_at = $1, previous_log_in_at = $2,
                    seen_day = CASE WHEN seen_day > $3 THEN seen_day ELSE $3 END
                WHERE application_id = $4 AND id = $5
                """, times + [.integer(last.day)] + place)
        } else {
            try connection.run(
                """
                UPDATE users SET last_log_in_at = $1, previous_log_in_at = $2 WHERE application_id = $3 AND id = $4
                """, times + place)
        }
        note(.user(user.application, user.id))
    }

    package func updateStanding(of user: User) throws(DomainError) {
        try connection.run(
            "UPDATE users SET disabled_at = $1, deletion_requested_at = $2 WHERE application_id = $3 AND id = $4",
            [
                .optional(user.disabledAt), .optional(user.deletionRequestedAt), .id(user.application), .id(user.id),
            ])
        note(.user(user.application, user.id))
    }

    /// Reads twenty columns of a user, without identities.
    static func user(_ row: any RowReader, from column: Int) throws(DomainError) -> User {
        var user = User(
            id: row.id(column + 1), application: row.id(column), username: row.optionalText(column + 9),
            email: row.optionalText(column + 10), phone: row.optionalText(column + 12),
            displayName: row.optionalText(column + 2), locale: row.optionalText(column + 3),
            fields: row.isNull(column + 4)
                ? [:] : try JSONText.members(from: row.text(column + 4)),
            createdAt: row.time(column + 5), updatedAt: row.time(column + 6),
            lastLogInAt: row.optionalTime(column + 7), previousLogInAt: row.optionalTime(column + 8))
        user.emailVerifiedAt = row.optionalTime(column + 11)
        user.phoneVerifiedAt = row.optionalTime(column + 13)
        user.passwordSetAt = row.optionalTime(column + 14)
        user.disabledAt = row.optionalTime(column + 15)
        user.deletionRequestedAt = row.optionalTime(column + 16)
        if !row.isNull(column + 17) {
            user.acl = try JSONText.decode(StoredACL.self, from: row.text(column + 17)).list
        }
        user.weakPasswordAt = row.optionalTime(column + 18)
        user.credentialsVersion = row.integer(column + 19)
        return user
    }

    /// Whether everybody may read; null while the application's standard holds.
    private static func publicRead(of user: User) -> Value {
        guard let list = user.acl else { return .null }
        return .integer(list.rights(of: nil).contains(.read) ? 1 : 0)
    }

    /// No fields are stored as null, so that most rows stay short and need no decoding.
    private static func stored(_ fields: [String: JSONValue]) throws(DomainError) -> Value {
        fields.isEmpty ? .null : .text(try JSONText.encode(.object(fields)))
    }
}
