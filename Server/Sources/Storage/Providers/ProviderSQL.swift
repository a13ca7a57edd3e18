package import Domain

extension SQLTransaction {
    package func providers(of application: Identifier<Application>) throws(DomainError) -> [StoredProvider] {
        try connection.all(
            ProviderRow.self, "FROM providers WHERE application_id = $1 ORDER BY provider", [.id(application)])
    }

    package func providers(named provider: Identity.Provider) throws(DomainError) -> [StoredProvider] {
        // Reads the whole table, which has a row or two for each application: notifications are rare.
        try connection.all(
            ProviderRow.self, "FROM providers WHERE provider = $1 ORDER BY application_id", [.text(provider.rawValue)])
    }

    package func save(_ provider: StoredProvider) throws(DomainError) {
        let stored = try connection.row(
            "SELECT settings FROM providers WHERE application_id = $1 AND provider = $2",
            [.id(provider.application), .text(provider.settings.provider.rawValue)]
        ) { row throws(DomainError) in row.only.text }
        try connection.insert(
            provider, as: ProviderRow.self, StoredProviderSettings(provider.settings), in: .settings, replacing: stored,
            """
            ON CONFLICT (application_id, provider) DO UPDATE SET
                settings = excluded.settings, sealed_secret = excluded.sealed_secret, updated_at = excluded.updated_at
            """)
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
}

package enum ProviderRow: StoredRow {
    package static let table: StaticString = "providers"

    package enum Column: Int, RowColumn {
        case applicationId, provider, settings, sealedSecret, updatedAt
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> StoredProvider {
        let settings = try JSONText.decode(StoredProviderSettings.self, from: row.text(.settings))
        return StoredProvider(
            application: row.id(.applicationId), settings: settings.settings(of: .init(rawValue: row.text(.provider))),
            sealedSecret: row.optionalBytes(.sealedSecret), updatedAt: row.time(.updatedAt))
    }

    package static func stored(_ provider: StoredProvider, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .applicationId: .id(provider.application)
        case .provider: .text(provider.settings.provider.rawValue)
        case .settings: .text(try StoredProviderSettings(provider.settings).storedText())
        case .sealedSecret: .optional(provider.sealedSecret)
        case .updatedAt: .time(provider.updatedAt)
        }
    }
}

/// Settings as stored. What an older program did not write has its default.
private struct StoredProviderSettings: Codable, SettingsDocument {
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
