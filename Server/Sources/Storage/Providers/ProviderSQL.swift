package import Domain

extension SQLTransaction {
    package func providers(of application: Identifier<Application>) throws(DomainError) -> [StoredProvider] {
        try connection.rows(
            """
            SELECT application_id, provider, settings, sealed_secret, updated_at FROM providers
            WHERE application_id = $1 ORDER BY provider
            """,
            [.id(application)], read: Self.provider)
    }

    package func providers(named provider: Identity.Provider) throws(DomainError) -> [StoredProvider] {
        // Reads the whole table, which has a row or two for each application: notifications are rare.
        try connection.rows(
            """
            SELECT application_id, provider, settings, sealed_secret, updated_at FROM providers
            WHERE provider = $1 ORDER BY application_id
            """,
            [.text(provider.rawValue)], read: Self.provider)
    }

    package func save(_ provider: StoredProvider) throws(DomainError) {
        try connection.run(
            """
            INSERT INTO providers (application_id, provider, settings, sealed_secret, updated_at)
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (application_id, provider) DO UPDATE SET
                settings = excluded.settings, sealed_secret = excluded.sealed_secret, updated_at = excluded.updated_at
            """,
            [
                .id(provider.application), .text(provider.settings.provider.rawValue),
                .text(try JSONText.encode(StoredProviderSettings(provider.settings))),
                provider.sealedSecret.map { .bytes($0) } ?? .null, .time(provider.updatedAt),
            ])
        note(.application(provider.application))
    }

    package func removeProvider(
        _ provider: Identity.Provider, of application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        let removed = try connection.change(
            "DELETE FROM providers WHERE application_id = $1 AND provider = $2",
            [.id(application), .text(provider.rawValue)])
        note(.application(application))
        return removed == 1
    }

    private static func provider(_ row: any RowReader) throws(DomainError) -> StoredProvider {
        let settings = try JSONText.decode(StoredProviderSettings.self, from: row.text(2))
        return StoredProvider(
            application: row.id(0), settings: settings.settings(of: .init(rawValue: row.text(1))),
            sealedSecret: row.isNull(3) ? nil : row.bytes(3), updatedAt: row.time(4))
    }
}

/// Settings as stored. What an older program did not write has its default.
private struct StoredProviderSettings: Codable {
    var audiences: [String]
    var teamId: String?
    var keyId: String?
    var issuer: String?
    var redirectURIs: [String]?

    init(_ settings: ProviderSettings) {
        audiences = settings.audiences
        teamId = settings.teamId
        keyId = settings.keyId
        issuer = settings.issuer
        redirectURIs = settings.redirectURIs.isEmpty ? nil : settings.redirectURIs
    }

    func settings(of provider: Identity.Provider) -> ProviderSettings {
        ProviderSettings(
            provider: provider, audiences: audiences, teamId: teamId, keyId: keyId, issuer: issuer,
            redirectURIs: redirectURIs ?? [])
    }
}
