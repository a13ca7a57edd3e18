package import Domain

extension SQLTransaction {
    package func user(
        _ identifier: LogInIdentifier, in application: Identifier<Application>
    ) throws(DomainError) -> User? {
        let user = try connection.first(
            UserRow.self,
            """
            FROM identifiers
            JOIN users ON users.application_id = identifiers.application_id AND users.id = identifiers.user_id
            WHERE identifiers.application_id = $1 AND identifiers.kind = $2 AND identifiers.value IN ($3, $4)
            ORDER BY CASE WHEN identifiers.value = $3 THEN 0 ELSE 1 END LIMIT 1
            """,
            [
                .id(application), .text(identifier.kind.rawValue), .text(identifier.exact), .text(identifier.folded),
            ])
        guard var user else { return nil }
        user.identities = try identities(of: user.id, in: application)
        return user
    }

    package func updateIdentifiers(of user: User) throws(DomainError) {
        try connection.run(
            """
            UPDATE users SET username = $1, email = $2, email_verified_at = $3, phone = $4, phone_verified_at = $5,
                updated_at = $6
            WHERE application_id = $7 AND id = $8
            """,
            try UserRow.values(
                of: user, .username, .email, .emailVerifiedAt, .phone, .phoneVerifiedAt, .updatedAt, .applicationId, .id
            ))
        try connection.run(
            "DELETE FROM identifiers WHERE application_id = $1 AND user_id = $2",
            [.id(user.application), .id(user.id)])
        for identifier in user.typedIdentifiers {
            try connection.run(
                "INSERT INTO identifiers (application_id, kind, value, user_id) VALUES ($1, $2, $3, $4)",
                [
                    .id(user.application), .text(identifier.kind.rawValue),
                    .text(try isTwin(identifier, in: user.application) ? identifier.exact : identifier.folded),
                    .id(user.id),
                ])
        }
        try noteStanding(of: user.id, in: user.application)
        note(.user(user.application, user.id))
    }

    /// Whether another user has the folded form of a user name. The rules refuse that, but for imported names that differ in
    /// their writing alone.
    private func isTwin(
        _ identifier: LogInIdentifier, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        guard identifier.kind == .username else { return false }
        let count = try connection.row(
            "SELECT COUNT(*) FROM identifiers WHERE application_id = $1 AND kind = $2 AND value = $3",
            [.id(application), .text(identifier.kind.rawValue), .text(identifier.folded)]
        ) { row throws(DomainError) in row.only.count }
        return count ?? 0 > 0
    }
}
