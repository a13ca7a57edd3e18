/// An application's providers, without their secrets.
package struct ListProviders: Sendable {
    let store: any Store

    package struct Entry: Hashable, Sendable {
        package var settings: ProviderSettings
        /// Whether a private key or client secret is stored.
        package var hasSecret: Bool
        package var updatedAt: Timestamp
    }

    /// - Throws: `applicationUnknown`, `storageUnavailable`.
    package func callAsFunction(
        of application: Identifier<Application>
    ) async throws(DomainError) -> [Entry] {
        try await store.read { transaction throws(DomainError) in
            guard try transaction.application(application) != nil else { throw .applicationUnknown }
            return try transaction.providers(of: application).map {
                Entry(settings: $0.settings, hasSecret: $0.sealedSecret != nil, updatedAt: $0.updatedAt)
            }
        }
    }
}
