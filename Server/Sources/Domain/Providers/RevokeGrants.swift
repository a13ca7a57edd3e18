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

    /// A provider that says nothing is asked once a round for each application: others wait for one call, and not for one
    /// for each of its grants.
    ///
    /// - Throws: `storageUnavailable`; what was not done is done next time.
    @discardableResult
    package func callAsFunction() async throws(DomainError) -> Outcome {
        var outcome = Outcome()
        var silent: Set<ProviderLanes.Part> = []
        var asked = 0
        let now = clock.now
        while asked < Self.batchSize {
            let limit = Self.batchSize - asked
            let due = try await store.read { transaction throws(DomainError) in
                try transaction.providerRevocations(dueAt: now, limit: limit)
            }
            guard !due.isEmpty else { break }
            for revocation in due {
                let end = clock.now + Self.lease
                let isMine = try await store.write { transaction throws(DomainError) in
                    try transaction.claim(revocation, until: end)
                }
                guard isMine else { continue }
                let part = ProviderLanes.Part(revocation.provider.rawValue, of: revocation.application)
                guard !silent.contains(part) else {
                    try await postpone(revocation, &outcome)
                    continue
                }
                asked += 1
                do throws(DomainError) {
                    try await revoke(revocation)
                } catch {
                    if error.code == .providerUnavailable { silent.insert(part) }
                    try await postpone(revocation, &outcome)
                    continue
                }
                try await forget(revocation)
                outcome.revoked += 1
            }
        }
        return outcome
    }

    private func revoke(_ revocation: ProviderRevocation) async throws(DomainError) {
        let grant = try sealingKey.open(
            revocation.sealedGrant,
            purpose: ProviderAccount.purpose(revocation.provider, in: revocation.application))
        let found = try await findProvider(revocation.provider, in: revocation.application)
        let grants = ProviderAccount.grants(
            String(decoding: grant, as: UTF8.self), of: revocation.provider, audience: revocation.audience)
        // Should one fail, all are asked for again: Apple takes the end of one that has ended for done. An app that Apple has no
        // more of holds up no other.
        var failure: DomainError?
        for (audience, token) in grants {
            do throws(DomainError) {
                try await found.provider.revoke(Secret(token), audience: audience, for: found.configured)
            } catch {
                failure = error
                if error.code == .providerUnavailable { break }
            }
        }
        if let failure { throw failure }
    }

    /// Tries it again later, or gives it up.
    private func postpone(
        _ revocation: ProviderRevocation, _ outcome: inout Outcome
    ) async throws(DomainError) {
        let now = clock.now
        var later = revocation
        later.failures += 1
        guard now - revocation.createdAt < Self.patience,
            let wait = Self.retries.wait(after: later.failures, by: randomness)
        else {
            try await forget(revocation)
            outcome.givenUp += 1
            return
        }
        later.dueAt = now + wait
        let postponed = later
        try await store.write { transaction throws(DomainError) in try transaction.update(postponed) }
        outcome.postponed += 1
    }

    private func forget(_ revocation: ProviderRevocation) async throws(DomainError) {
        try await store.write { transaction throws(DomainError) in
            try transaction.removeProviderRevocation(revocation.id, in: revocation.application)
        }
    }
}
