import Synchronization

/// Removes rows of every kind that are expired, and ends waits that a clock which was ahead has made too long. The server
/// calls it every minute.
///
/// What nobody gets back waits until the clock is steady (decision 0218). Marks, counters and codes do not: they come with each
/// log-in, and would grow without bound at a server that is started anew again and again.
///
/// Sessions are swept a part at a time, in the order of the table, so that no index and no long transaction is needed.
package final class PurgeExpired: Sendable {
    /// Sessions looked at in one call: a million take 100 calls.
    private static let sweepSize = 10_000
    /// Rows of one kind that one transaction changes, and how many such parts one call has at the most.
    static let partSize = 1000
    private static let maximumParts = 1000
    /// Counters are kept for the longest window that any limit has.
    private static let longestWindow: Duration = .days(1)

    /// Sessions are kept for so long after their idle time. A use in its last moment may still be on its way through the request
    /// that makes it, or wait at another node, which writes once a minute and tries again for as long as it cannot.
    static let useIsWritten: Duration = .seconds(300)

    /// Used proofs are kept for so long after their end: a clock that is set back by less revives none.
    private static let proofMemory: Duration = .seconds(600)

    /// How long mails that were given up, and those of the outbox, can be looked at.
    private static let mailIsKept: Duration = .days(7)
    /// Transfers are remembered for as long as an old device may stay unused and still needs the notice.
    private static let transferMemory: Duration = .days(400)
    /// How long it can be seen of a key of the admin API why a program is refused.
    private static let adminKeyMemory: Duration = .days(30)

    private let store: any Store
    private let clock: any WallClock
    private let protocols: ProtocolRegistry
    private let writeActivity: WriteSessionActivity
    private let cursor = Mutex<SessionExpiry.Position?>(nil)

    init(
        store: any Store, clock: any WallClock, protocols: ProtocolRegistry, writeActivity: WriteSessionActivity
    ) {
        self.store = store
        self.clock = clock
        self.protocols = protocols
        self.writeActivity = writeActivity
    }

    /// - Parameter isClockSteady: Whether the clock can be believed.
    /// - Returns: how many sessions were removed.
    /// - Throws: `storageUnavailable`.
    @discardableResult
    package func callAsFunction(isClockSteady: Bool = true) async throws(DomainError) -> Int {
        let now = clock.now
        try await inParts { transaction, count throws(DomainError) in
            try transaction.removeUsedProofs(endedBefore: now - Self.proofMemory, count: count)
        }
        try await inParts { transaction, last throws(DomainError) in
            try transaction.counters(startedBefore: now - Self.longestWindow, after: last, count: Self.partSize)
        } change: { transaction, counters throws(DomainError) in
            try transaction.remove(counters, startedBefore: now - Self.longestWindow)
        }
        try await inParts { transaction, count throws(DomainError) in
            try transaction.removeFailures(lastBefore: now - LogInFailures.memory, count: count)
        }
        try await inParts { transaction, count throws(DomainError) in
            try transaction.removeCodes(endedBefore: now, count: count)
        }
        try await inParts { transaction, last throws(DomainError) in
            try transaction.mailToErase(ofNoUseAt: now, after: last, count: Self.partSize)
        } change: { transaction, mails throws(DomainError) in
            try transaction.erase(mails, ofNoUseAt: now)
        }
        try await shortenWaits(at: now)
        return isClockSteady ? try await removeForGood(at: now) : 0
    }

    /// Removes what nobody gets back.
    ///
    /// - Returns: how many sessions of users were removed.
    /// - Throws: `storageUnavailable`.
    private func removeForGood(at now: Timestamp) async throws(DomainError) -> Int {
        try await inParts { transaction, count throws(DomainError) in
            try transaction.removeTransferCodes(issuedBefore: now - StoredTransferCode.lifetime, count: count)
        }
        try await inParts { transaction, count throws(DomainError) in
            try transaction.removeTransfers(redeemedBefore: now - Self.transferMemory, count: count)
        }
        try await inParts { transaction, count throws(DomainError) in
            try transaction.forgetRemovedDeviceKeys(before: now - RemovedDeviceKey.memory, count: count)
        }
        try await inParts { transaction, count throws(DomainError) in
            try transaction.removeMergeTickets(endedBefore: now, count: count)
        }
        try await inParts { transaction, count throws(DomainError) in
            try transaction.removeMerges(mergedBefore: now - Merge.undoSpan, count: count)
        }
        let oldMail = now - Self.mailIsKept
        try await inParts { transaction, last throws(DomainError) in
            try transaction.oldMail(before: oldMail, after: last, count: Self.partSize)
        } change: { transaction, mails throws(DomainError) in
            try transaction.remove(mails, before: oldMail)
        }
        try await inParts { transaction, count throws(DomainError) in
            try transaction.removeOutboxMail(before: oldMail, count: count)
        }
        try await removeAdminAccess(at: now)
        try await RemoveUnusedSchemes(store: store, clock: clock)()
        let applications = try await store.read { transaction throws(DomainError) in try transaction.applications() }
        try await RemoveOldEvents(store: store, clock: clock)(of: applications)
        return try await sweepSessions(at: now)
    }

    /// What opens the server to admins: their sessions, links that set credentials, keys of the admin API.
    private func removeAdminAccess(at now: Timestamp) async throws(DomainError) {
        try await store.write { transaction throws(DomainError) in
            try transaction.removeAdminSessions(
                createdBefore: now - AdminSession.lifetime, usedBefore: now - AdminSession.idleLifetime)
            try transaction.removeAdminLinks(endedBefore: now)
            try transaction.removeAdminKeys(endedBefore: now - Self.adminKeyMemory)
        }
    }

    /// Removes sessions of users that ended by age or disuse, of the next part of the table.
    ///
    /// - Returns: how many were removed.
    /// - Throws: `storageUnavailable`.
    private func sweepSessions(at now: Timestamp) async throws(DomainError) -> Int {
        // A session that was used within its last minute is not over.
        try await writeActivity()
        let start = cursor.withLock { $0 }
        let (applications, sweep) = try await store.read { [protocols] transaction throws(DomainError) in
            let applications = try transaction.applications()
            let sweep = try transaction.sweepSessions(
                after: start, limit: Self.sweepSize, endedBy: now,
                unusedSince: protocols.disuse(in: applications, at: now - Self.useIsWritten))
            return (applications, sweep)
        }
        let settings = Dictionary(applications.map { ($0.id, $0.settings) }, uniquingKeysWith: { first, _ in first })
        let over = sweep.found.filter { life in
            let rules = settings[life.application]?.sessionRules(of: protocols[life.protocolName])
            return SessionExpiry.isOver(
                at: now, idleLifetime: (rules?.idleLifetime ?? .zero) + Self.useIsWritten,
                lastUsedAt: life.lastUsedAt, expiresAt: life.expiresAt)
        }
        for start in stride(from: 0, to: over.count, by: Self.partSize) {
            let part = Array(over[start...].prefix(Self.partSize))
            try await store.write { transaction throws(DomainError) in try transaction.remove(part) }
        }
        cursor.withLock { $0 = sweep.last }
        return over.count
    }

    /// What waits for longer than anything does, or was never tried and is to come, got its time from a clock that was ahead. In parts,
    /// so that nobody waits behind all of it.
    private func shortenWaits(at now: Timestamp) async throws(DomainError) {
        try await inParts { transaction, count throws(DomainError) in
            try transaction.shortenRevocationWaits(
                beyond: now + RevokeGrants.retries.longest, to: now, count: count)
        }
        let longest = now + DeliverMail.longestWait
        let isMailWaiting = try await store.read { transaction throws(DomainError) in
            try transaction.hasMailWaiting(beyond: longest, at: now)
        }
        var changed = isMailWaiting ? Self.partSize : 0
        while changed == Self.partSize {
            changed = try await store.write { transaction throws(DomainError) in
                try transaction.shortenMailWaits(beyond: longest, to: now, count: Self.partSize)
            }
        }
        repeat {
            changed = try await store.write { transaction throws(DomainError) in
                try transaction.shortenDeliveryWaits(
                    beyond: now + DeliverEvents.retries.longest, to: now, count: Self.partSize)
            }
        } while changed == Self.partSize
    }

    /// Changes rows by one statement for each part, so that no log-in waits behind all that a stranger has left.
    private func inParts(
        _ change: @escaping @Sendable (any Transaction, Int) throws(DomainError) -> Int
    ) async throws(DomainError) {
        for _ in 0..<Self.maximumParts {
            let changed = try await store.writeStatement { transaction throws(DomainError) in
                try change(transaction, Self.partSize)
            }
            guard changed == Self.partSize else { return }
        }
    }

    /// Looks beside the writer, however much there is, and changes in parts.
    private func inParts<Found: Sendable>(
        find: @escaping @Sendable (any Transaction, _ last: Found?) throws(DomainError) -> [Found],
        change: @escaping @Sendable (any Transaction, [Found]) throws(DomainError) -> Void
    ) async throws(DomainError) {
        var last: Found?
        for _ in 0..<Self.maximumParts {
            let after = last
            let found = try await store.read { transaction throws(DomainError) in try find(transaction, after) }
            guard !found.isEmpty else { return }
            try await store.write { transaction throws(DomainError) in try change(transaction, found) }
            guard found.count == Self.partSize else { return }
            last = found.last
        }
    }
}
