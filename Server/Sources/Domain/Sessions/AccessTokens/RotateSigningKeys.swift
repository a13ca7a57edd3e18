/// Makes a new signing key. The one before it goes on signing until everybody can know the new one, and verifying until the
/// next rotation, which is longer than any token lives (requirement 19).
package struct RotateSigningKeys: Sendable {
    /// After a rotation the key before it signs for as long as the new one is published, and its last token lives on.
    package static let pause: Duration = SigningKeys.publication + MintAccessToken.lifetime

    /// A key that was made.
    package struct NewKey: Sendable {
        package let id: String
        /// When it signs, unless the next rotation comes before.
        package let signsAt: Timestamp
        /// Whether the key before it has a time to come, of a clock that was ahead: that one signs until then.
        package let isBehindAhead: Bool
    }

    let store: any Store
    let signingKeys: SigningKeys
    let clock: any WallClock
    let audit: AuditTrail

    /// - Returns: the new key.
    /// - Throws: `rateLimited` when the newest key is so young that tokens of the one before it may still live, also when it was made
    ///   at the same time; `storageUnavailable`.
    package func callAsFunction(by who: Operator) async throws(DomainError) -> NewKey {
        let present = try await signingKeys()
        let now = clock.now
        if present.count > 1, let newest = present.first {
            let age = now - newest.createdAt
            // A key that is far ahead of the clock was made before the clock was set back: nobody has to wait until then.
            guard age >= Self.pause || age < .zero - Self.pause else {
                throw .rateLimited(retryAfter: Self.pause - age)
            }
        }
        let candidate = try signingKeys.newSealedKey(after: present.first)
        let kept = [candidate.id] + present.prefix(1).map(\.id)
        let entry = audit.draft(.signingKeysRotated, by: who.actor, in: AuditEntry.server, from: who.origin)
        try await store.write { transaction throws(DomainError) in
            // The key of another rotation may have signed tokens already, and this one would remove it.
            guard try transaction.signingKeys().map(\.id) == present.map(\.id) else {
                throw .rateLimited(retryAfter: Self.pause)
            }
            try transaction.insert(candidate)
            try transaction.removeSigningKeys(except: kept)
            try entry.record(on: .signingKey(candidate.id), in: transaction)
        }
        // Two in one millisecond are a millisecond apart.
        return NewKey(
            id: candidate.id, signsAt: candidate.createdAt + SigningKeys.publication,
            isBehindAhead: candidate.createdAt - now > .seconds(1))
    }
}
