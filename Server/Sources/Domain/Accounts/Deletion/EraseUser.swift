/// An operator erases a user at once, without grace. Nothing brings the user back.
package struct EraseUser: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let audit: AuditTrail

    /// - Throws: `userUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<User>, in application: Identifier<Application>, by who: Operator
    ) async throws(DomainError) {
        let erasure = Erasure(
            entry: audit.draft(.userErased, by: who.actor, in: application, from: who.origin), reason: "operator",
            randomness: randomness, now: clock.now)
        try await store.write { transaction throws(DomainError) in
            guard let user = try transaction.user(id, in: application) else { throw .userUnknown }
            try erasure.erase(user, in: transaction)
        }
    }
}
