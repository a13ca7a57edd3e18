/// Erases users whose grace period is over. The server calls it every minute.
///
/// A part at a time, each in a transaction of its own, so that other writers get their turns in between.
package struct EraseDeletedUsers: Sendable {
    /// Grants of providers that are revoked for one user; a user has one identity of a provider.
    private static let maximumGrants = 16
    /// Users in one transaction.
    private static let batchSize = 50
    /// Users of one application in one call; the next minute goes on.
    private static let callSize = 2000

    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let audit: AuditTrail

    /// - Returns: how many users were erased.
    /// - Throws: `storageUnavailable`.
    @discardableResult
    package func callAsFunction() async throws(DomainError) -> Int {
        let now = clock.now
        let applications = try await store.read { transaction throws(DomainError) in try transaction.applications() }
        var total = 0
        for application in applications {
            let limit = now - application.settings.deletionGrace
            var erased = 0
            while erased < Self.callSize {
                let count = try await eraseBatch(in: application.id, requestedBefore: limit)
                erased += count
                guard count == Self.batchSize else { break }
            }
            total += erased
        }
        return total
    }

    private func eraseBatch(
        in application: Identifier<Application>, requestedBefore limit: Timestamp
    ) async throws(DomainError) -> Int {
        // A look alone, so that a minute without deletions writes nothing.
        let waiting = try await store.read { transaction throws(DomainError) in
            try transaction.usersToErase(in: application, requestedBefore: limit, count: Self.batchSize)
        }
        guard !waiting.isEmpty else { return 0 }
        let now = clock.now
        let revocations = waiting.map { _ in
            (0..<Self.maximumGrants).map { _ -> Identifier<ProviderRevocation> in randomness.newIdentifier(at: now) }
        }
        let entries = waiting.map { _ in audit.draft(.userErased, by: .server, in: application, from: .local) }
        try await store.write { transaction throws(DomainError) in
            for (id, (entry, revocations)) in zip(waiting, zip(entries, revocations)) {
                // Looked at again: somebody may have been restored meanwhile.
                guard let user = try transaction.user(id, in: application),
                    let requestedAt = user.deletionRequestedAt, requestedAt <= limit
                else { continue }
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
        return waiting.count
    }
}
