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

    /// Gives users their identities, oldest first, with one statement for each 50.
    ///
    /// - Parameters:
    ///   - users: Whose, each once. Their order stays.
    ///   - application: Where all of them are.
    ///   - isShown: Which of them are to have any.
    /// - Throws: `storageUnavailable`; in a search `searchTooSlow`, `searchTooLarge`.
    func attachIdentities(
        to users: inout [User], in application: Identifier<Application>,
        where isShown: (Identifier<User>) -> Bool = { _ in true }
    ) throws(DomainError) {
        let ids = users.map(\.id).filter(isShown)
        var identities: [Identifier<User>: [Identity]] = [:]
        for start in stride(from: 0, to: ids.count, by: Self.usersOfStatement) {
            // Every statement has as many: the last one stands for those that are missing.
            let asked = (0..<Self.usersOfStatement).map { Value.id(ids[min(start + $0, ids.count - 1)]) }
            _ = try connection.rows(Self.identitiesOfUsers, [.id(application)] + asked) { row throws(DomainError) in
                let owner = try IdentityOwnerRow.content(ColumnReader(row, from: IdentityRow.width)).user
                identities[owner, default: []].append(try IdentityRow.content(ColumnReader(row)))
            }
        }
        for index in users.indices { users[index].identities = identities[users[index].id] ?? [] }
    }

    /// How many users `identitiesOfUsers` names.
    private static let usersOfStatement = 50

    /// The statement for the identities of several users. `StorageTests` asks both engines how they run it: without the name of
    /// the index, and the order that it has, SQLite reads all identities of the application.
    package static let identitiesOfUsers: Query = .select(
        Joined<IdentityRow, IdentityOwnerRow>.self, "FROM identities", indexedBy: "identities_by_user",
        """
        WHERE application_id = $1 AND user_id IN (
            $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
            $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41,
            $42, $43, $44, $45, $46, $47, $48, $49, $50, $51)
        ORDER BY user_id, linked_at, provider, subject
        """)
}
