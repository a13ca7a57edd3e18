package import Domain

extension SQLTransaction {
    package func user(_ id: Identifier<User>, in application: Identifier<Application>) throws(DomainError) -> User? {
        let user = try connection.first(
            UserRow.self, "FROM users WHERE application_id = $1 AND id = $2", [.id(application), .id(id)])
        guard var user else { return nil }
        user.identities = try identities(of: id, in: application)
        return user
    }

    package func users(
        in application: Identifier<Application>, after id: Identifier<User>?, limit: Int
    ) throws(DomainError) -> [User] {
        var users = try connection.all(
            UserRow.self, "FROM users WHERE application_id = $1 AND id > $2 ORDER BY id LIMIT $3",
            [.id(application), .text(id?.rawValue ?? ""), .count(limit)])
        try attachIdentities(to: &users, in: application)
        return users
    }

    package func insert(_ user: User) throws(DomainError) {
        try connection.run(.insert(NewUserRow.self, ""), try NewUserRow.values(of: user))
    }

    package func updateProfile(of user: User) throws(DomainError) {
        try connection.run(
            """
            UPDATE users SET display_name = $1, locale = $2, fields = $3, updated_at = $4
            WHERE application_id = $5 AND id = $6
            """,
            try UserRow.values(of: user, .displayName, .locale, .fields, .updatedAt, .applicationId, .id))
        note(.user(user.application, user.id))
    }

    package func updateACL(of user: User) throws(DomainError) {
        try connection.run(
            """
            UPDATE users SET access_list = $1, public_read = $2, updated_at = $3 WHERE application_id = $4 AND id = $5
            """,
            [try UserRow.stored(user, .accessList), NewUserRow.publicRead(of: user)]
                + UserRow.values(of: user, .updatedAt, .applicationId, .id))
        note(.user(user.application, user.id))
    }

    package func updateLogInTimes(of user: User) throws(DomainError) {
        try connection.run(
            "UPDATE users SET last_log_in_at = $1, previous_log_in_at = $2 WHERE application_id = $3 AND id = $4",
            try UserRow.values(of: user, .lastLogInAt, .previousLogInAt, .applicationId, .id))
        // The day has an index: it is written later, with those of others.
        if let last = user.lastLogInAt, last.day != user.previousLogInAt?.day {
            note(.userPresent(UserPresence(of: user.id, in: user.application, at: last)))
        }
        note(.user(user.application, user.id))
    }

    package func updateStanding(of user: User) throws(DomainError) {
        try connection.run(
            "UPDATE users SET disabled_at = $1, deletion_requested_at = $2 WHERE application_id = $3 AND id = $4",
            try UserRow.values(of: user, .disabledAt, .deletionRequestedAt, .applicationId, .id))
        note(.user(user.application, user.id))
    }
}
