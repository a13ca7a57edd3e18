import Synchronization

/// Uses of sessions, and days on which users were there, that are not in the database yet. They are written together, so that
/// a request that only reads costs no write of its own, and a log-in none beside its session; a crash loses at most the
/// interval of `WriteSessionActivity`.
package final class SessionActivity: Sendable {
    /// How exact a session's `lastUsedAt` is.
    package static let resolution: Duration = .seconds(300)
    /// With so many days waiting they are written at once.
    static let manyDays = 4096

    /// Rings when there is what should not wait for the next round: too much, or a guest who was away for long.
    let signal = QueueSignal()
    private let pending = Mutex(Pending())
    private let turns = Mutex(Turns())

    /// Who writes, one after the other.
    private struct Turns: Sendable {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private struct Pending: Sendable {
        var uses: [Identifier<Session>: SessionTouch] = [:]
        /// Those that were taken last: they are being written, or a look-up under way may have read what was before.
        var taken: [Identifier<Session>: SessionTouch] = [:]
        /// The latest time of each user.
        var days: [Owner: Timestamp] = [:]

        mutating func keep(_ presences: [UserPresence]) {
            for presence in presences {
                let owner = Owner(user: presence.user, application: presence.application)
                days[owner] = max(days[owner] ?? presence.at, presence.at)
            }
        }
    }

    private struct Owner: Hashable, Sendable {
        let user: Identifier<User>
        let application: Identifier<Application>
    }

    package init() {}

    func note(_ use: SessionTouch) {
        pending.withLock { pending in
            var use = use
            use.isFirstOfDay = use.isFirstOfDay || pending.uses[use.id]?.isFirstOfDay == true
            pending.uses[use.id] = use
        }
    }

    func note(_ presence: UserPresence) {
        let count = pending.withLock { pending in
            pending.keep([presence])
            return pending.days.count
        }
        if count.isMultiple(of: Self.manyDays) { signal.ring() }
    }

    /// Asks what is not in the database yet.
    ///
    /// - Parameter session: As it was read from the database.
    /// - Returns: when it was used last.
    func lastUse(of session: Session) -> Timestamp {
        pending.withLock { pending in
            max(
                session.lastUsedAt, pending.uses[session.id]?.at ?? session.lastUsedAt,
                pending.taken[session.id]?.at ?? session.lastUsedAt)
        }
    }

    func takeAll() -> (uses: [SessionTouch], days: [UserPresence]) {
        let taken = pending.withLock { pending in
            defer { pending = Pending(taken: pending.uses) }
            return pending
        }
        // In the order of the table, so that those on one page are written one after the other.
        let days = taken.days.map { UserPresence(of: $0.key.user, in: $0.key.application, at: $0.value) }
            .sorted { ($0.application.rawValue, $0.user.rawValue) < ($1.application.rawValue, $1.user.rawValue) }
        return (Array(taken.uses.values), days)
    }

    /// Returns when nobody else writes: a round that found nothing while another one was writing would take the database
    /// for newer than it is.
    func takeTurn() async {
        await withCheckedContinuation { continuation in
            let isFree = turns.withLock { turns in
                if turns.isTaken { turns.waiting.append(continuation) }
                defer { turns.isTaken = true }
                return !turns.isTaken
            }
            if isFree { continuation.resume() }
        }
    }

    /// Lets the next one write.
    func endTurn() {
        let next = turns.withLock { turns -> CheckedContinuation<Void, Never>? in
            turns.isTaken = !turns.waiting.isEmpty
            return turns.isTaken ? turns.waiting.removeFirst() : nil
        }
        next?.resume()
    }

    func putBack(_ uses: [SessionTouch], _ days: [UserPresence]) {
        pending.withLock { pending in
            for use in uses {
                guard pending.uses[use.id] != nil else {
                    pending.uses[use.id] = use
                    continue
                }
                if use.isFirstOfDay { pending.uses[use.id]?.isFirstOfDay = true }
            }
            pending.keep(days)
        }
    }
}

/// Writes down the uses of sessions and the days that are waiting. The server calls it every minute, when many wait, and when it
/// stops.
package struct WriteSessionActivity: Sendable {
    private static let batchSize = 500

    let store: any Store
    let activity: SessionActivity

    /// Rings when there is something to write that should not wait.
    package var signal: QueueSignal { activity.signal }

    /// Forgets the uses that are waiting, as a server does that never writes.
    package func drop() { _ = activity.takeAll() }

    /// Writes, after those who are writing. Then what was noted before the call is in the database.
    ///
    /// - Throws: `storageUnavailable`; what was not written waits for the next call.
    package func callAsFunction() async throws(DomainError) {
        await activity.takeTurn()
        defer { activity.endTurn() }
        var (uses, days) = activity.takeAll()
        do {
            while !uses.isEmpty {
                let batch = Array(uses.prefix(Self.batchSize))
                try await store.write { transaction throws(DomainError) in try transaction.noteUse(batch) }
                uses.removeFirst(batch.count)
            }
            while !days.isEmpty {
                let batch = Array(days.prefix(Self.batchSize))
                try await store.write { transaction throws(DomainError) in try transaction.noteDays(batch) }
                days.removeFirst(batch.count)
            }
        } catch {
            activity.putBack(uses, days)
            throw error
        }
    }
}

/// A session was used.
package struct SessionTouch: Hashable, Sendable {
    package var id: Identifier<Session>
    package var user: Identifier<User>
    package var application: Identifier<Application>
    package var at: Timestamp
    package var address: String?
    /// Whether the session was not used before on that day, UTC: only then the user's day is written too.
    package var isFirstOfDay: Bool

    package init(
        id: Identifier<Session>, user: Identifier<User>, application: Identifier<Application>, at: Timestamp,
        address: String?, isFirstOfDay: Bool
    ) {
        self.id = id
        self.user = user
        self.application = application
        self.at = at
        self.address = address
        self.isFirstOfDay = isFirstOfDay
    }
}

/// A user was there on a day, UTC: what lists of users are sorted by, and what is counted.
package struct UserPresence: Hashable, Sendable {
    package var user: Identifier<User>
    package var application: Identifier<Application>
    /// Any time of the day.
    package var at: Timestamp

    package init(of user: Identifier<User>, in application: Identifier<Application>, at time: Timestamp) {
        self.user = user
        self.application = application
        at = time
    }
}
