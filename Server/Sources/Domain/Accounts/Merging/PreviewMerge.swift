/// What would become of two users, before anything happens.
package struct PreviewMerge: Sendable {
    let store: any Store
    let clock: any WallClock

    package struct Preview: Hashable, Sendable {
        package var current: User
        package var other: User
        /// The other user after a merge.
        package var merged: User
        package var expiresAt: Timestamp
    }

    /// - Throws: `mergeTicketRefused`, `storageUnavailable`.
    package func callAsFunction(_ ticket: String, by who: Authenticated) async throws(DomainError) -> Preview {
        let now = clock.now
        let rules = MergeRules(who.application.settings)
        return try await store.read { transaction throws(DomainError) in
            let (ticket, current, other) = try transaction.parties(of: ticket, who, at: now)
            var merged = rules.merged(other, with: current)
            merged.identities += current.identities
            return Preview(current: current, other: other, merged: merged, expiresAt: ticket.expiresAt)
        }
    }
}
