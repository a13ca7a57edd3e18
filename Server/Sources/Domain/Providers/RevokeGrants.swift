/// Tells providers to end grants of people who unlinked them or deleted their account (requirement 34). The server
/// calls it again and again; what fails is tried later, ever less often, for 30 days.
package struct RevokeGrants: Sendable {
    private static let batchSize = 20
    static let retries = RetrySchedule(doublingFrom: .seconds(60), upTo: .seconds(6 * 3600))
    /// While one node asks the provider, no other one does.
    private static let lease: Duration = .seconds(120)
    package static let patience: Duration = .days(30)

    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let sealingKey: SealingKey
    let findProvider: FindProvider

    package struct Outcome: Hashable, Sendable {
        package var revoked = 0
        /// Will be tried again.
        package var postponed = 0
        /// Failed for so long that they were given up.
        package var givenUp = 0

        package init(revoked: Int = 0, postponed: Int = 0, givenUp: Int = 0) {
            self.revoked = revoked
            self.postponed = postponed
            self.givenUp = givenUp
        }
    }

    /// - Throws: `storageUnavailable`; what was not done is done next time.
    @discardableResult
    package func callAsFunction() async throws(DomainError) -> Outcome {
        var outcome = Outcome()
        let now = clock.now
        let due = try await store.read { transaction throws(DomainError) in
            try transaction.providerRevocations(dueAt: now, limit: Self.batchSize)
        }
        for revocation in due {
            let isMine = try await store.write { transaction throws(DomainError) in
                try transaction.claim(revocation, until: now + Self.lease)
            }
            if isMine { try await attempt(revocation, &outcome) }
        }
        return outcome
    }

    private func attempt(_ revocation: ProviderRevocation, _ outcome: inout Outcome) async throws(DomainError) {
        do throws(DomainError) {
            let grant = try sealingKey.open(
                revocation.sealedGrant,
                purpose: ProviderAccount.purpose(revocation.provider, in: revocation.application))
            let found = try await findProvider(revocation.provider, in: revocation.application)
            try await found.provider.revoke(
                Secret(String(decoding: grant, as: UTF8.self)), audience: revocation.audience, for: found.configured)
            outcome.revoked += 1
        } catch {
            let now = clock.now
            var later = revocation
            later.failures += 1
            if now - revocation.createdAt < Self.patience,
                let wait = Self.retries.wait(after: later.failures, by: randomness)
            {
                later.dueAt = now + wait
                let postponed = later
                try await store.write { transaction throws(DomainError) in try transaction.update(postponed) }
                outcome.postponed += 1
                return
            }
            outcome.givenUp += 1
        }
        try await store.write { transaction throws(DomainError) in
            try transaction.removeProviderRevocation(revocation.id, in: revocation.application)
        }
    }
}
