package import Domain

extension SQLTransaction {
    package func insert(_ revocation: ProviderRevocation) throws(DomainError) {
        try connection.run(
            """
            INSERT INTO provider_revocations (application_id, id, provider, audience, sealed_grant, failures, due_at,
                created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            [
                .id(revocation.application), .id(revocation.id), .text(revocation.provider.rawValue),
                .text(revocation.audience), .bytes(revocation.sealedGrant), .count(revocation.failures),
                .time(revocation.dueAt), .time(revocation.createdAt),
            ])
    }

    package func providerRevocations(
        dueAt now: Timestamp, limit: Int
    ) throws(DomainError) -> [ProviderRevocation] {
        try connection.rows(
            """
            SELECT application_id, id, provider, audience, sealed_grant, failures, due_at, created_at
            FROM provider_revocations WHERE due_at <= $1 ORDER BY due_at LIMIT $2
            """,
            [.time(now), .count(limit)]
        ) { row throws(DomainError) in
            ProviderRevocation(
                application: row.id(0), id: row.id(1), provider: .init(rawValue: row.text(2)), audience: row.text(3),
                sealedGrant: row.bytes(4), failures: row.count(5), dueAt: row.time(6), createdAt: row.time(7))
        }
    }

    package func claim(
        _ revocation: ProviderRevocation, until instant: Timestamp
    ) throws(DomainError) -> Bool {
        try connection.change(
            "UPDATE provider_revocations SET due_at = $1 WHERE application_id = $2 AND id = $3 AND due_at = $4",
            [.time(instant), .id(revocation.application), .id(revocation.id), .time(revocation.dueAt)]) == 1
    }

    package func update(_ revocation: ProviderRevocation) throws(DomainError) {
        try connection.run(
            "UPDATE provider_revocations SET due_at = $1, failures = $2 WHERE application_id = $3 AND id = $4",
            [
                .time(revocation.dueAt), .count(revocation.failures), .id(revocation.application),
                .id(revocation.id),
            ])
    }

    package func removeProviderRevocation(
        _ id: Identifier<ProviderRevocation>, in application: Identifier<Application>
    ) throws(DomainError) {
        try connection.run(
            "DELETE FROM provider_revocations WHERE application_id = $1 AND id = $2", [.id(application), .id(id)])
    }
}
