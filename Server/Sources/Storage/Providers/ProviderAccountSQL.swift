package import Domain

extension SQLTransaction {
    package func providerAccount(
        _ provider: Identity.Provider, subject: String, in application: Identifier<Application>
    ) throws(DomainError) -> ProviderAccount? {
        try connection.first(
            ProviderAccountRow.self,
            "FROM provider_accounts WHERE application_id = $1 AND provider = $2 AND subject = $3",
            [.id(application), .text(provider.rawValue), .text(subject)])
    }

    package func providerAccount(
        _ provider: Identity.Provider, transferSubject: String, in application: Identifier<Application>
    ) throws(DomainError) -> ProviderAccount? {
        try connection.first(
            ProviderAccountRow.self,
            // Looked for in the index alone, which SQLite would else not take.
            """
            FROM provider_accounts WHERE application_id = $1 AND provider = $2 AND subject IN (
                SELECT subject FROM provider_accounts
                WHERE application_id = $1 AND provider = $2 AND transfer_subject = $3)
            """,
            [.id(application), .text(provider.rawValue), .text(transferSubject)])
    }

    package func subjects(
        of provider: Identity.Provider, in application: Identifier<Application>, after subject: String?, limit: Int
    ) throws(DomainError) -> [String] {
        try connection.rows(
            """
            SELECT subject FROM identities WHERE application_id = $1 AND provider = $2 AND subject > $3
            ORDER BY subject LIMIT $4
            """,
            [.id(application), .text(provider.rawValue), .text(subject ?? ""), .count(limit)]
        ) { row throws(DomainError) in row.only.text }
    }

    package func save(_ account: ProviderAccount) throws(DomainError) {
        try connection.insert(
            account, as: ProviderAccountRow.self,
            """
            ON CONFLICT (application_id, provider, subject) DO UPDATE SET
                audience = excluded.audience, sealed_grant = excluded.sealed_grant, email = excluded.email,
                email_is_verified = excluded.email_is_verified, email_is_relay = excluded.email_is_relay,
                email_is_forwarded = excluded.email_is_forwarded, transfer_subject = excluded.transfer_subject,
                updated_at = excluded.updated_at, former_names = excluded.former_names
            """)
    }

    package func removeProviderAccount(
        _ provider: Identity.Provider, subject: String, in application: Identifier<Application>
    ) throws(DomainError) {
        try connection.run(
            "DELETE FROM provider_accounts WHERE application_id = $1 AND provider = $2 AND subject = $3",
            [.id(application), .text(provider.rawValue), .text(subject)])
    }

    package func renameProviderAccount(
        _ provider: Identity.Provider, from subject: String, to newSubject: String,
        in application: Identifier<Application>
    ) throws(DomainError) {
        try connection.run(
            """
            UPDATE provider_accounts SET subject = $1 WHERE application_id = $2 AND provider = $3 AND subject = $4
            """,
            [.text(newSubject), .id(application), .text(provider.rawValue), .text(subject)])
        let owners = try connection.rows(
            """
            UPDATE identities SET subject = $1 WHERE application_id = $2 AND provider = $3 AND subject = $4
            RETURNING user_id
            """,
            [.text(newSubject), .id(application), .text(provider.rawValue), .text(subject)]
        ) { row throws(DomainError) -> Identifier<User> in row.only.id() }
        for owner in owners { note(.user(application, owner)) }
    }
}

package enum ProviderAccountRow: StoredRow {
    package static let table: StaticString = "provider_accounts"

    package enum Column: Int, RowColumn {
        case applicationId, provider, subject, audience, sealedGrant, email, emailIsVerified, emailIsRelay,
            emailIsForwarded, transferSubject, updatedAt, formerNames
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> ProviderAccount {
        var account = ProviderAccount(
            application: row.id(.applicationId), provider: .init(rawValue: row.text(.provider)),
            subject: row.text(.subject), audience: row.text(.audience), sealedGrant: row.optionalBytes(.sealedGrant),
            email: row.optionalText(.email).map {
                ProviderEmail(
                    address: $0, isVerified: row.isTrue(.emailIsVerified), isRelay: row.isTrue(.emailIsRelay))
            },
            transferSubject: row.optionalText(.transferSubject), updatedAt: row.time(.updatedAt))
        account.isEmailForwarded = row.isTrue(.emailIsForwarded)
        account.formerNames = row.optionalText(.formerNames)?.pieces(at: " ").map(String.init) ?? []
        return account
    }

    package static func stored(_ account: ProviderAccount, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .applicationId: .id(account.application)
        case .provider: .text(account.provider.rawValue)
        case .subject: .text(account.subject)
        case .audience: .text(account.audience)
        case .sealedGrant: .optional(account.sealedGrant)
        case .email: .optional(account.email?.address)
        case .emailIsVerified: .optional(account.email?.isVerified)
        case .emailIsRelay: .optional(account.email?.isRelay)
        case .emailIsForwarded: .truth(account.isEmailForwarded)
        case .transferSubject: .optional(account.transferSubject)
        case .updatedAt: .time(account.updatedAt)
        case .formerNames: account.formerNames.isEmpty ? .null : .text(account.formerNames.joined(separator: " "))
        }
    }
}
