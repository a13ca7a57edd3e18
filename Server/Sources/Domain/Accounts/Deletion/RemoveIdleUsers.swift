import Synchronization

/// Erases anonymous users that have been idle for as long as their application says (requirement 45): by their last
/// activity, never by their age, and of those from elsewhere not before the limit has passed since they were taken in. Who has a
/// password stays (decision 0272). Off unless the application asks for it. The server calls it every minute in which its clock
/// is steady.
///
/// It goes through the users a part at a time, so that no long transaction holds up other writers.
package final class RemoveIdleUsers: Sendable {
    /// Users looked at in one call for one application.
    static let sweepSize = 2000
    /// Users in one transaction.
    static let batchSize = 50

    private let store: any Store
    private let clock: any WallClock
    private let audit: AuditTrail
    private let cursors = Mutex<[Identifier<Application>: Identifier<User>]>([:])

    init(store: any Store, clock: any WallClock, audit: AuditTrail) {
        self.store = store
        self.clock = clock
        self.audit = audit
    }

    /// - Returns: how many users were erased.
    /// - Throws: `storageUnavailable`.
    @discardableResult
    package func callAsFunction() async throws(DomainError) -> Int {
        let now = clock.now
        let applications = try await store.read { transaction throws(DomainError) in try transaction.applications() }
        var total = 0
        for application in applications {
            guard let span = application.settings.anonymousIdleLimit else { continue }
            let (id, limit, cursor) = (application.id, now - span, cursors.withLock { $0[application.id] })
            let idle = try await store.read { transaction throws(DomainError) in
                try transaction.idleUsers(in: id, loggedInBefore: limit, after: cursor, count: Self.sweepSize)
            }
            for start in stride(from: 0, to: idle.count, by: Self.batchSize) {
                let batch = Array(idle[start..<min(start + Self.batchSize, idle.count)])
                total += try await erase(batch, in: id, idleSince: limit)
            }
            // From the beginning again after the last one, in the next minute.
            cursors.withLock { $0[id] = idle.count == Self.sweepSize ? idle.last : nil }
        }
        return total
    }

    private func erase(
        _ batch: [Identifier<User>], in application: Identifier<Application>, idleSince limit: Timestamp
    ) async throws(DomainError) -> Int {
        let now = clock.now
        let erasures = try batch.map { _ throws(DomainError) in
            try UserErasure(.idle(since: limit), in: application, by: .server, audit: audit, now: now)
        }
        return try await store.write { transaction throws(DomainError) in
            var count = 0
            for (id, erasure) in zip(batch, erasures)
            where try erasure.store(id, in: application, transaction) == .erased { count += 1 }
            return count
        }
    }
}
