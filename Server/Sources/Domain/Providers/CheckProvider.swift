/// Tries an application's settings against the provider.
package struct CheckProvider: Sendable {
    let findProvider: FindProvider

    /// - Throws: `providerNotEnabled`, `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(
        _ provider: Identity.Provider, of application: Identifier<Application>
    ) async throws(DomainError) -> ProviderFinding {
        let found = try await findProvider(provider, in: application)
        return await found.provider.check(found.configured)
    }
}
