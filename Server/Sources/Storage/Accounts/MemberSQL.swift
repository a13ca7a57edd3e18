package import Domain

extension SQLTransaction {
    package func updateGrants(of user: User) throws(DomainError) {
        try connection.run(
            "UPDATE users SET grants = $1, updated_at = $2 WHERE application_id = $3 AND id = $4",
            try UserRow.values(of: user, .grants, .updatedAt, .applicationId, .id))
        let known = try connection.rows(
            "SELECT grant_id FROM members WHERE application_id = $1 AND user_id = $2",
            [.id(user.application), .id(user.id)]
        ) { row throws(DomainError) -> Identifier<Grant> in row.only.id() }
        // What stays is left alone: a deletion is what a restored backup hears of.
        for grant in known where !user.grants.contains(grant) {
            try connection.run(
                "DELETE FROM members WHERE application_id = $1 AND grant_id = $2 AND user_id = $3",
                [.id(user.application), .id(grant), .id(user.id)])
        }
        for grant in user.grants.subtracting(known).sorted(by: { $0.rawValue < $1.rawValue }) {
            try connection.run(
                "INSERT INTO members (application_id, grant_id, user_id) VALUES ($1, $2, $3)",
                [.id(user.application), .id(grant), .id(user.id)])
        }
        note(.user(user.application, user.id))
    }

    package func members(
        of grant: Identifier<Grant>, in application: Identifier<Application>, after user: Identifier<User>?, limit: Int
    ) throws(DomainError) -> [User] {
        var users = try connection.all(
            UserRow.self,
            """
            FROM members JOIN users ON users.application_id = members.application_id AND users.id = members.user_id
            WHERE members.application_id = $1 AND members.grant_id = $2 AND members.user_id > $3
            ORDER BY members.user_id LIMIT $4
            """,
            [.id(application), .id(grant), .text(user?.rawValue ?? ""), .count(limit)])
        try attachIdentities(to: &users, in: application)
        return users
    }

    package func memberCount(
        of grant: Identifier<Grant>, in application: Identifier<Application>
    ) throws(DomainError) -> Int64 {
        try connection.row(
            "SELECT COUNT(*) FROM members WHERE application_id = $1 AND grant_id = $2", [.id(application), .id(grant)]
        ) { row throws(DomainError) in row.only.integer } ?? 0
    }

    package func removeMembers(
        of grant: Identifier<Grant>, in application: Identifier<Application>, limit: Int
    ) throws(DomainError) -> Int {
        try connection.change(
            """
            DELETE FROM members WHERE application_id = $1 AND grant_id = $2 AND user_id IN (
                SELECT user_id FROM members WHERE application_id = $1 AND grant_id = $2 ORDER BY user_id LIMIT $3)
            """, [.id(application), .id(grant), .count(limit)])
    }
}
