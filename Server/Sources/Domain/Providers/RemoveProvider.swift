/// Switches log-in with a provider off for an application and forgets the secret. Identities stay.
package struct RemoveProvider: Sendable {
    let store: any Store
    let audit: AuditTrail

    /// - Throws: `providerNotEnabled` when it was off, `storageUnavailable`.
    package func callAsFunction(
        _ provider: Identity.Provider, of application: Identifier<Application>, by who: Operator
    ) async throws(DomainError) {
        let entry = audit.draft(.providerRemoved, by: who.actor, in: application, from: who.origin)
        let removed = try await store.write { transaction throws(DomainError) in
            guard try transaction.removeProvider(provider, of: application) else { return false }
            try entry.record(on: .provider(provider), in: transaction)
            return true
        }
        guard removed else { throw .providerNotEnabled }
    }
}
