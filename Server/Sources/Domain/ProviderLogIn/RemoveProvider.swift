/// Switches log-in with a provider off for an application and forgets the secret. Identities stay.
package struct RemoveProvider: Sendable {
    let store: any Store

    /// - Throws: `providerNotEnabled` when it was off, `storageUnavailable`.
    package func callAsFunction(
        _ provider: Identity.Provider, of application: Identifier<Application>
    ) async throws(DomainError) {
        let removed = try await store.write { transaction throws(DomainError) in
            try transaction.removeProvider(provider, of: application)
        }
        guard removed else { throw .providerNotEnabled }
    }
}
