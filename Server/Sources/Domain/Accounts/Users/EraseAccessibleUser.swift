/// Erases a user at once, without the grace that the native API gives: apps of the mobile backends make the same user
/// again right after it, by the same name. Whatever its access list says, only the user itself and operators may. It is for
/// their protocols only.
package struct EraseAccessibleUser: Sendable {
    /// Grants of providers that are revoked; a user has one identity of a provider.
    private static let maximumGrants = 16

    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let audit: AuditTrail

    /// - Throws: `accessRefused`, `userUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<User>, in application: Application, by actor: AccountActor, from origin: RequestOrigin
    ) async throws(DomainError) {
        let now = clock.now
        let revocations = (0..<Self.maximumGrants).map { _ -> Identifier<ProviderRevocation> in
            randomness.newIdentifier(at: now)
        }
        let entry = audit.draft(
            AccountChange.erasedAtOnce.policy.action, by: actor.inAudit, in: application.id, from: origin)
        try await store.write { transaction throws(DomainError) in
            guard let user = try transaction.user(id, in: application.id), user.deletionRequestedAt == nil else {
                throw .userUnknown
            }
            guard actor.may(.erasedAtOnce, user) else { throw .accessRefused }
            let granted = user.identities.filter { $0.provider != .device && $0.provider != .anonymous }
            for (identity, revocation) in zip(granted, revocations) {
                try transaction.forgetGrant(of: identity, in: application.id, revocation: revocation, at: now)
            }
            try transaction.erase(id, in: application.id)
            try entry.record(on: .user(id), details: ["reason": "deletion"], in: transaction)
        }
    }
}
