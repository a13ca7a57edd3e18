package import Domain

extension SQLTransaction {
    package func insert(_ revocation: ProviderRevocation) throws(DomainError) {
        try connection.insert(revocation, as: ProviderRevocationRow.self)
    }

    package func providerRevocations(
        dueAt now: Timestamp, limit: Int
    ) throws(DomainError) -> [ProviderRevocation] {
        try connection.all(
            ProviderRevocationRow.self, "FROM provider_revocations WHERE due_at <= $1 ORDER BY due_at LIMIT $2",
            [.time(now), .count(limit)])
    }

    package func claim(
        _ revocation: ProviderRevocation, until instant: Timestamp
    ) throws(DomainError) -> Bool {
        try connection.change(
            "UPDATE provider_revocations SET due_at = $1 WHERE application_id = $2 AND id = $3 AND due_at = $4",
            [.time(instant), .id(revocation.application), .id(revocation.id), .time(revocation.dueAt)]) == 1
    }

    package func shortenRevocationWaits(
        beyond limit: Timestamp, to now: Timestamp, count: Int
    ) throws(DomainError) -> Int {
        try connection.change(
            """
            UPDATE provider_revocations SET due_at = $1 WHERE (application_id, id) IN (
                SELECT application_id, id FROM provider_revocations WHERE due_at > $2 LIMIT $3)
            """, [.time(now), .time(limit), .count(count)])
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

package enum ProviderRevocationRow: StoredRow {
    package static let table: StaticString = "provider_revocations"

    package enum Column: Int, RowColumn {
        case applicationId, id, provider, audience, sealedGrant, failures, dueAt, createdAt
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> ProviderRevocation {
        ProviderRevocation(
            application: row.id(.applicationId), id: row.id(.id), provider: .init(rawValue: row.text(.provider)),
            audience: row.text(.audience), sealedGrant: row.bytes(.sealedGrant), failures: row.count(.failures),
            dueAt: row.time(.dueAt), createdAt: row.time(.createdAt))
    }

    package static func stored(_ revocation: ProviderRevocation, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .applicationId: .id(revocation.application)
        case .id: .id(revocation.id)
        case .provider: .text(revocation.provider.rawValue)
        case .audience: .text(revocation.audience)
        case .sealedGrant: .bytes(revocation.sealedGrant)
        case .failures: .count(revocation.failures)
        case .dueAt: .time(revocation.dueAt)
        case .createdAt: .time(revocation.createdAt)
        }
    }
}
