/// Erases a user at once, without the grace that deletion has elsewhere: in protocols whose apps count on a user name
/// being free again.
package struct EraseUserAtOnce: Sendable {
    /// Grants of providers that are revoked; a user has one identity of a provider.
    private static let maximumGrants = 16

    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let audit: AuditTrail

    /// - Parameters:
    ///   - id: Whom.
    ///   - application: Where.
    ///   - actor: Who does it.
    ///   - origin: Where the request came from.
    /// - Throws: `userUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<User>, in application: Identifier<Application>, by actor: AuditEntry.Actor,
        from origin: RequestOrigin
    ) async throws(DomainError) {
        let now = clock.now
        let revocations = (0..<Self.maximumGrants).map { _ -> Identifier<ProviderRevocation> in
            randomness.newIdentifier(at: now)
        }
        let entry = audit.draft(.userErased, by: actor, in: application, from: origin)
        try await store.write { transaction throws(DomainError) in
            guard let user = try transaction.user(id, in: application) else { throw .userUnknown }
            // The providers are told, as soon as they can be reached (requirement 34).
            for (identity, revocation) in zip(
                user.identities.filter { $0.provider != .device && $0.provider != .anonymous }, revocations)
            {
                try transaction.forgetGrant(of: identity, in: application, revocation: revocation, at: now)
            }
            try transaction.erase(id, in: application)
            try entry.record(on: .user(id), details: ["reason": "deletion"], in: transaction)
        }
    }
}
