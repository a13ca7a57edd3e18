package import Domain

extension SQLTransaction {
    package func providerAccount(
        _ provider: Identity.Provider, subject: String, in application: Identifier<Application>
    ) throws(DomainError) -> ProviderAccount? {
        try connection.row(
            """
            SELECT application_id, provider, subject, audience, sealed_grant, email, email_is_verified, email_is_relay,
                email_is_forwarded, transfer_subject, updated_at
            FROM provider_accounts WHERE application_id = $1 AND provider = $2 AND subject = $3
            """,
            [.id(application), .text(provider.rawValue), .text(subject)], read: Self.account)
    }

    package func providerAccount(
        _ provider: Identity.Provider, transferSubject: String, in application: Identifier<Application>
    ) throws(DomainError) -> ProviderAccount? {
        try connection.row(
            """
            SELECT application_id, provider, subject, audience, sealed_grant, email, email_is_verified, email_is_relay,
                email_is_forwarded, transfer_subject, updated_at
            FROM provider_accounts WHERE application_id = $1 AND provider = $2 AND transfer_subject = $3
            """,
            [.id(application), .text(provider.rawValue), .text(transferSubject)], read: Self.account)
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
        ) { row throws(DomainError) in row.text(0) }
    }

    package func save(_ account: ProviderAccount) throws(DomainError) {
        try connection.run(
            """
            INSERT INTO provider_accounts (application_id, provider, subject, audience, sealed_grant, email,
                email_is_verified, email_is_relay, email_is_forwarded, transfer_subject, updated_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
            ON CONFLICT (application_id, provider, subject) DO UPDATE SET
                audience = excluded.audience, sealed_grant = excluded.sealed_grant, email = excluded.email,
                email_is_verified = excluded.email_is_verified, email_is_relay = excluded.email_is_relay,
                email_is_forwarded = excluded.email_is_forwarded, transfer_subject = excluded.transfer_subject,
                updated_at = excluded.updated_at
            """,
            [
                .id(account.application), .text(account.provider.rawValue), .text(account.subject),
                .text(account.audience), account.sealedGrant.map { .bytes($0) } ?? .null,
                .optional(account.email?.address), account.email.map { .integer($0.isVerified ? 1 : 0) } ?? .null,
                account.email.map { .integer($0.isRelay ? 1 : 0) } ?? .null,
                .integer(account.isEmailForwarded ? 1 : 0), .optional(account.transferSubject),
                .time(account.updatedAt),
            ])
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
        ) { row throws(DomainError) -> Identifier<User> in row.id(0) }
        for owner in owners { note(.user(application, owner)) }
    }

    private static func account(_ row: any RowReader) throws(DomainError) -> ProviderAccount {
        ProviderAccount(
            application: row.id(0), provider: .init(rawValue: row.text(1)), subject: row.text(2),
            audience: row.text(3), sealedGrant: row.isNull(4) ? nil : row.bytes(4),
            email: row.optionalText(5).map {
                ProviderEmail(address: $0, isVerified: row.integer(6) == 1, isRelay: row.integer(7) == 1)
            },
            isEmailForwarded: row.integer(8) == 1, transferSubject: row.optionalText(9), updatedAt: row.time(10))
    }
}
