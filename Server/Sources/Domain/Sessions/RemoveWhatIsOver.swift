/// Removes expired sessions, used proofs that are too old to be sent again, and counters whose windows are over.
/// The server calls it every minute.
package struct RemoveWhatIsOver: Sendable {
    /// Sessions removed in one transaction, so that log-ins never wait long.
    private static let batchSize = 500
    /// Counters are kept for the longest window that any limit has.
    private static let longestWindow: Duration = .days(1)

    let store: any Store
    let clock: any WallClock

    /// - Throws: `storageUnavailable`.
    package func callAsFunction() async throws(DomainError) {
        let now = clock.now
        try await store.write { transaction throws(DomainError) in
            try transaction.removeUsedProofs(endedBefore: now)
            try transaction.removeCounters(startedBefore: now - Self.longestWindow)
        }
        while try await removeBatch(expiredBefore: now) == Self.batchSize {}
    }

    private func removeBatch(expiredBefore now: Timestamp) async throws(DomainError) -> Int {
        try await store.write { transaction throws(DomainError) in
            try transaction.removeSessions(expiredBefore: now, limit: Self.batchSize)
        }
    }
}
