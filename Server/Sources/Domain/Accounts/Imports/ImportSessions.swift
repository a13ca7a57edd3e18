/// Takes sessions in from another service, a part at a time, so that nobody is logged out by the move. What is there
/// already, or was and has ended since, is left alone.
package struct ImportSessions: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness

    /// A session made ready.
    private struct Candidate: Sendable {
        var moved: MovedSession
        var faults: [ValidationError]
    }

    /// - Parameters:
    ///   - sessions: At most `ImportUsers.batchSize`.
    ///   - isRehearsal: Whether everything is checked and nothing written. Users who would be there by then are not missed.
    /// - Returns: what became of each, in their order.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction(
        _ sessions: [ImportedSession], isRehearsal: Bool
    ) async throws(DomainError) -> [ImportOutcome] {
        let now = clock.now
        let limits = try await limits(for: sessions)
        let candidates = sessions.map { imported in
            let moved = MovedSession(imported, randomness: randomness, at: now)
            var faults = imported.faults(within: limits)
            if moved.session.expiresAt <= now { faults.append(ValidationError(field: "expiresAt", rule: .inThePast)) }
            return Candidate(moved: moved, faults: faults)
        }
        if isRehearsal {
            return try await store.read { transaction throws(DomainError) in
                var outcomes: [ImportOutcome] = []
                for candidate in candidates {
                    outcomes.append(try Self.outcome(of: candidate, needsUser: false, in: transaction))
                }
                return outcomes
            }
        }
        return try await store.write { transaction throws(DomainError) in
            var outcomes: [ImportOutcome] = []
            for candidate in candidates {
                let outcome = try Self.outcome(of: candidate, needsUser: true, in: transaction)
                if outcome == .imported { try candidate.moved.store(in: transaction) }
                outcomes.append(outcome)
            }
            return outcomes
        }
    }

    /// Of fields: the application may have other limits than the standard, as log-ins know.
    private func limits(for sessions: [ImportedSession]) async throws(DomainError) -> ProfileLimits {
        guard let id = sessions.first?.application else { return .standard }
        let application = try await store.read { transaction throws(DomainError) in try transaction.application(id) }
        return application?.settings.fieldRules.limits ?? .standard
    }

    private static func outcome(
        of candidate: Candidate, needsUser: Bool, in transaction: any Transaction
    ) throws(DomainError) -> ImportOutcome {
        guard candidate.faults.isEmpty else { return .refused(candidate.faults) }
        let session = candidate.moved.session
        if try candidate.moved.isPresent(in: transaction) { return .present }
        let unknown = ImportOutcome.refused([ValidationError(field: "user", rule: .notListed)])
        guard let user = try transaction.user(session.user, in: session.application) else {
            return needsUser ? unknown : .imported
        }
        guard try !transaction.isUnknownElsewhere(user) else { return unknown }
        return user.takesMovedSessions ? .imported : .present
    }
}
