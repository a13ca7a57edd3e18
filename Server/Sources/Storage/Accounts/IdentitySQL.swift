package import Domain

extension SQLTransaction {
    package func user(
        provider: Identity.Provider, subject: String, in application: Identifier<Application>
    ) throws(DomainError) -> User? {
        // One statement for the user and all its identities, as this stands in the way of every log-in by key. The first
        // two tables give one row at most, so that the index gives the rows of the third in their order.
        var user: User?
        let identities = try connection.rows(
            """
            SELECT users.application_id, users.id, users.display_name, users.locale, users.fields, users.created_at,
                users.updated_at, users.last_log_in_at, users.previous_log_in_at, users.username, users.email,
                users.email_verified_at, users.phone, users.phone_verified_at, users.password_set_at,
                users.disabled_at, users.deletion_requested_at, users.access_list,
                users.weak_password_at, users.credentials_version, linked.provider, linked.subject, linked.linked_at
            FROM identities
            JOIN users ON users.application_id = identities.application_id AND users.id = identities.user_id
            JOIN identities AS linked
                ON linked.application_id = identities.application_id AND linked.user_id = identities.user_id
            WHERE identities.application_id = $1 AND identities.provider = $2 AND identities.subject = $3
            ORDER BY linked.linked_at, linked.provider, linked.subject
            """,
            [.id(application), .text(provider.rawValue), .text(subject)]
        ) { row throws(DomainError) in
            if user == nil { user = try Self.user(row, from: 0) }
            return Self.identity(row, from: 20)
        }
        user?.identities = identities
        return user
    }

    package func insert(
        _ identity: Identity, for user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) {
        try connection.run(
            """
            INSERT INTO identities (application_id, provider, subject, user_id, linked_at)
            VALUES ($1, $2, $3, $4, $5)
            """,
            [
                .id(application), .text(identity.provider.rawValue), .text(identity.subject), .id(user),
                .time(identity.linkedAt),
            ])
        if identity.provider.registers { try noteStanding(of: user, in: application) }
        note(.user(application, user))
    }

    package func remove(
        _ identity: Identity, of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) {
        try connection.run(
            "DELETE FROM identities WHERE application_id = $1 AND provider = $2 AND subject = $3 AND user_id = $4",
            [.id(application), .text(identity.provider.rawValue), .text(identity.subject), .id(user)])
        if identity.provider.registers { try noteStanding(of: user, in: application) }
        note(.user(application, user))
    }

    /// A user's identities, oldest first.
    func identities(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> [Identity] {
        try connection.rows(
            """
            SELECT provider, subject, linked_at FROM identities
            WHERE application_id = $1 AND user_id = $2 ORDER BY linked_at, provider, subject
            """,
            [.id(application), .id(user)]
        ) { row throws(DomainError) in
            Self.identity(row, from: 0)
        }
    }

    /// The identities of several users, oldest first, for a search: with one statement, however many users there are.
    func identities(
        ofAll users: [Identifier<User>], in application: Identifier<Application>
    ) throws(DomainError) -> [Identifier<User>: [Identity]] {
        guard !users.isEmpty else { return [:] }
        var question = DynamicQuery()
        let application = question.bind(text: application.rawValue)
        let ids = users.map { question.bind(text: $0.rawValue) }.joined(separator: ", ")
        question.text = """
            SELECT provider, subject, linked_at, user_id FROM identities
            WHERE application_id = \(application) AND user_id IN (\(ids)) ORDER BY linked_at, provider, subject
            """
        var found: [Identifier<User>: [Identity]] = [:]
        _ = try connection.rows(question) { row throws(DomainError) in
            found[row.id(3), default: []].append(Self.identity(row, from: 0))
        }
        return found
    }

    /// Reads three columns of an identity.
    private static func identity(_ row: any RowReader, from column: Int) -> Identity {
        Identity(
            provider: .init(rawValue: row.text(column)), subject: row.text(column + 1), linkedAt: row.time(column + 2))
    }
}
