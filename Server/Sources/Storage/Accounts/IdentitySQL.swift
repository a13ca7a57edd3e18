package import Domain

extension SQLTransaction {
    package func user(
        provider: Identity.Provider, subject: String, in application: Identifier<Application>
    ) throws(DomainError) -> User? {
        // One statement for the user and all its identities, because every log-in by key waits for it. The first
        // two tables give one row at most, so that the index gives the rows of the third in their order.
        var user: User?
        let identities = try connection.rows(
            .select(
                Joined<UserRow, IdentityRow>.self,
                """
                FROM identities AS found
                JOIN users ON users.application_id = found.application_id AND users.id = found.user_id
                JOIN identities ON identities.application_id = found.application_id
                    AND identities.user_id = found.user_id
                WHERE found.application_id = $1 AND found.provider = $2 AND found.subject = $3
                ORDER BY identities.linked_at, identities.provider, identities.subject
                """),
            [.id(application), .text(provider.rawValue), .text(subject)]
        ) { row throws(DomainError) in
            if user == nil { user = try UserRow.content(ColumnReader(row)) }
            return try IdentityRow.content(ColumnReader(row, from: UserRow.width))
        }
        user?.identities = identities
        return user
    }

    package func insert(
        _ identity: Identity, for user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) {
        try connection.insert(
            identity, as: IdentityRow.self, with: IdentityOwnerRow.Content(application: application, user: user),
            as: IdentityOwnerRow.self)
        if identity.provider.registers { try noteStanding(of: user, in: application) }
        note(.user(application, user))
    }

    package func remove(
        _ identity: Identity, of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) {
        try connection.run(
            "DELETE FROM identities WHERE application_id = $1 AND provider = $2 AND subject = $3 AND user_id = $4",
            [.id(application), .text(identity.provider.rawValue), .text(identity.subject), .id(user)])
        // The id that a client made is kept for as long as it leads to its owner.
        if identity.provider == .anonymous {
            try removeProviderAccount(.anonymous, subject: identity.subject, in: application)
        }
        if identity.provider == .passkey { try removePasskey(identity.subject, in: application) }
        if identity.provider.registers { try noteStanding(of: user, in: application) }
        note(.user(application, user))
    }

    /// A user's identities, oldest first.
    func identities(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> [Identity] {
        try connection.all(
            IdentityRow.self,
            "FROM identities WHERE application_id = $1 AND user_id = $2 ORDER BY linked_at, provider, subject",
            [.id(application), .id(user)])
    }

    /// The identities of several users, oldest first, for a search: with one statement, however many users there are.
    func identities(
        ofAll users: [Identifier<User>], in application: Identifier<Application>
    ) throws(DomainError) -> [Identifier<User>: [Identity]] {
        guard !users.isEmpty else { return [:] }
        let columns = Joined<IdentityRow, IdentityOwnerRow>.qualifiedNames
        var question = DynamicQuery()
        let application = question.bind(text: application.rawValue)
        let ids = users.map { question.bind(text: $0.rawValue) }.joined(separator: ", ")
        question.text = """
            SELECT \(columns.joined(separator: ", ")) FROM identities
            WHERE application_id = \(application) AND user_id IN (\(ids)) ORDER BY linked_at, provider, subject
            """
        var found: [Identifier<User>: [Identity]] = [:]
        _ = try connection.rows(question) { row throws(DomainError) in
            let owner = try IdentityOwnerRow.content(ColumnReader(row, from: IdentityRow.width)).user
            found[owner, default: []].append(try IdentityRow.content(ColumnReader(row)))
        }
        return found
    }
}
