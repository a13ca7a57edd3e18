/// Erases users whose grace period is over. The server calls it every minute in which its clock is steady.
///
/// A part at a time, each in a transaction of its own, so that other writers get their turns in between.
package struct EraseDeletedUsers: Sendable {
    /// Users in one transaction.
    static let batchSize = 50
    /// Users of one application in one call; the next minute goes on.
    static let callSize = 2000
    /// Clocks of nodes are not an hour from each other, and who went with a merge counts as deleted later, so that the merge can be
    /// undone until then (`UserMerger`).
    private static let longestLead: Duration = Merge.undoSpan + .seconds(3600)

    let store: any Store
    let clock: any WallClock
    let changes: AccountChanges
    let steadiness: ClockSteadiness

    /// - Returns: how many users were erased.
    /// - Throws: `storageUnavailable`.
    @discardableResult
    package func callAsFunction() async throws(DomainError) -> Int {
        let now = clock.now
        let isSteady = steadiness.isSteady(at: now)
        let applications = try await store.read { transaction throws(DomainError) in try transaction.applications() }
        var total = 0
        for application in applications {
            if isSteady { try await countFromNow(in: application.id, at: now) }
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

    /// Lets the grace of users begin now who asked to be deleted while the clock was ahead: it would last until that time, and
    /// longer.
    private func countFromNow(
        in application: Identifier<Application>, at now: Timestamp
    ) async throws(DomainError) {
        let latest = now + Self.longestLead
        let ahead = try await store.read { transaction throws(DomainError) in
            try transaction.usersLeaving(in: application, requestedAfter: latest, count: Self.batchSize)
        }
        guard !ahead.isEmpty else { return }
        try await store.write { transaction throws(DomainError) in
            for id in ahead {
                guard var user = try transaction.user(id, in: application), let requestedAt = user.deletionRequestedAt,
                    requestedAt > latest
                else { continue }
                user.deletionRequestedAt = now
                try transaction.updateStanding(of: user)
            }
        }
    }

    private func eraseBatch(
        in application: Identifier<Application>, requestedBefore limit: Timestamp
    ) async throws(DomainError) -> Int {
        // A look alone, so that a minute without deletions writes nothing.
        let waiting = try await store.read { transaction throws(DomainError) in
            var users: [User] = []
            for id in try transaction.usersToErase(in: application, requestedBefore: limit, count: Self.batchSize) {
                if let user = try transaction.user(id, in: application) { users.append(user) }
            }
            return users
        }
        guard !waiting.isEmpty else { return 0 }
        let now = clock.now
        let erasures = try waiting.map { user throws(DomainError) in
            try UserErasure(.graceOver(before: limit), in: application, by: .server, audit: changes.audit, now: now)
                .notifying(user, by: changes.notice)
        }
        try await store.write { transaction throws(DomainError) in
            // Looked at again: somebody may have been restored meanwhile.
            for (user, erasure) in zip(waiting, erasures) {
                _ = try erasure.store(user.id, in: application, transaction)
            }
        }
        return waiting.count
    }
}

/// Looks for users who should have been erased long ago. A server that never runs for an hour in a row erases nobody (decision
/// 0218), and nothing else shows it.
package struct FindOverdueErasures: Sendable {
    /// After so long no round is waiting for its turn any more.
    static let patience: Duration = .days(1)
    /// Users looked at in one call, of each kind.
    package static let sweepSize = 1000

    let store: any Store
    let clock: any WallClock

    package struct Overdue: Hashable, Sendable {
        /// Users whose grace is over.
        package var leaving = 0
        /// Guests who are idle for too long.
        package var idle = 0

        package init(leaving: Int = 0, idle: Int = 0) { (self.leaving, self.idle) = (leaving, idle) }
    }

    /// - Parameter application: Whose users.
    /// - Returns: how many are found among the first `sweepSize` of each kind.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction(in application: Application) async throws(DomainError) -> Overdue {
        let (id, settings, late) = (application.id, application.settings, clock.now - Self.patience)
        return try await store.read { transaction throws(DomainError) in
            var overdue = Overdue()
            overdue.leaving = try transaction.usersToErase(
                in: id, requestedBefore: late - settings.deletionGrace, count: Self.sweepSize
            ).count
            guard let span = settings.anonymousIdleLimit else { return overdue }
            let way = UserErasure.Way.idle(since: late - span)
            let known = try transaction.idleUsers(
                in: id, loggedInBefore: late - span, after: nil, count: Self.sweepSize)
            for id in known {
                guard let user = try transaction.user(id, in: application.id),
                    try way.holds(of: user, in: transaction)
                else { continue }
                overdue.idle += 1
            }
            return overdue
        }
    }
}
