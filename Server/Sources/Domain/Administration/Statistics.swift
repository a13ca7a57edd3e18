/// What is counted in applications, and what the server sees of itself.
package struct Statistics: Sendable {
    package let write: WriteStatistics
    package let readOverview: ReadOverview
    package let readHealth: ReadHealth

    init(_ world: DomainWorld, signingKeys: SigningKeys, searches: SearchScheduler) {
        let (store, clock) = (world.store, world.clock)
        write = WriteStatistics(store: store, clock: clock, steadiness: world.steadiness)
        readOverview = ReadOverview(schedule: searches, clock: clock)
        readHealth = ReadHealth(
            store: store, clock: clock, signingKeys: signingKeys, passwords: world.passwords,
            delivery: world.services.mailDelivery)
    }
}

/// How often something happened in an hour. Kept for finished hours; the present one is counted when it is asked for.
package struct Statistic: Hashable, Sendable {
    /// Hours since 1970, UTC.
    package var hour: Int64
    package var name: Name
    package var value: Int64

    package init(hour: Int64, name: Name, value: Int64) {
        self.hour = hour
        self.name = name
        self.value = value
    }

    /// What is counted. An open set: `audit:ACTION:RESULT` counts entries of the audit log.
    package struct Name: RawRepresentable, Hashable, Sendable {
        package var rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        /// Users that were made.
        package static let newUsers = Name(rawValue: "users.new")
        /// Users who were there on the day of the hour, up to its end.
        package static let activeToday = Name(rawValue: "users.active-day")
        /// Users who were there in the 30 days up to the hour.
        package static let activeMonth = Name(rawValue: "users.active-month")
        package static func audit(_ action: AuditEntry.Action, _ result: AuditEntry.Result) -> Name {
            Name(rawValue: "\(auditPrefix)\(action.rawValue):\(result.rawValue)")
        }

        private static let auditPrefix = "audit:"

        /// What was refused, of a count of refusals; `nil` for every other count.
        package var refusedAction: AuditEntry.Action? {
            let suffix = ":\(AuditEntry.Result.refused.rawValue)"
            guard rawValue.hasPrefix(Self.auditPrefix), rawValue.hasSuffix(suffix) else { return nil }
            return AuditEntry.Action(
                rawValue: String(rawValue.dropFirst(Self.auditPrefix.count).dropLast(suffix.count)))
        }
    }
}

/// Writes the statistics of hours that are over. The server calls it every minute; no log-in ever waits for it, and the
/// counts are those of the rows themselves.
package struct WriteStatistics: Sendable {
    /// Transactions that began within an hour are over so long after it.
    private static let settling: Duration = .seconds(60)
    /// Hours that one call makes up for, after a time without a server.
    private static let hoursAtOnce: Int64 = 48
    private static let hoursLookedBack: Int64 = 24 * 31

    let store: any Store
    let clock: any WallClock
    let steadiness: ClockSteadiness

    /// - Throws: `storageUnavailable`.
    package func callAsFunction() async throws(DomainError) {
        let now = clock.now
        let isSteady = steadiness.isSteady(at: now)
        let finished = (now - Self.settling).hour - 1
        let applications = try await store.read { transaction throws(DomainError) in
            try transaction.applications().map { application throws(DomainError) in
                (application.id, try transaction.lastHour(of: application.id), application.createdAt.hour)
            }
        }
        for (id, last, birth) in applications {
            // Of a clock that was ahead: they would hold up the hours of now until they are reached. The next round makes these
            // up. Another node's clock may be an hour further.
            if let last, last > finished + 1 {
                guard isSteady else { continue }
                try await store.write { transaction throws(DomainError) in
                    try transaction.removeStatistics(of: id, after: finished)
                }
                continue
            }
            let beginning = last.map { $0 + 1 } ?? (birth <= finished + 2 ? birth : finished)
            let first = max(beginning, finished - Self.hoursLookedBack)
            guard first <= finished else { continue }
            let end = min(finished, first + Self.hoursAtOnce - 1)
            let statistics = try await store.read { transaction throws(DomainError) in
                var statistics: [Statistic] = []
                for hour in first...end { statistics += try transaction.count(hour: hour, in: id) }
                // Days move on with the users: who was there can be counted only now.
                if end == finished { statistics += try transaction.countActive(hour: end, in: id) }
                return statistics
            }
            try await store.write { transaction throws(DomainError) in try transaction.write(statistics, of: id) }
        }
    }
}

/// What happened in an application, by hour or by day. Users and entries of the present hour are counted one by one, by the
/// readers that are for searches.
package struct ReadOverview: Sendable {
    package static let longestSpanDays = 90

    let schedule: SearchScheduler
    let clock: any WallClock

    package struct Overview: Sendable {
        /// The first hour that is looked at, and the present one.
        package var hours: ClosedRange<Int64>
        package var statistics: [Statistic]
        package var userCount: Int
        /// Users who were there today, and in the last 30 days, as of now.
        package var activeToday: Int64
        package var activeMonth: Int64
    }

    /// - Throws: `searchTooSlow`, `rateLimited` when the application's admins have searched for too long of late, `busy` when
    ///   too many of their searches wait, `storageUnavailable`.
    package func callAsFunction(
        of application: Identifier<Application>, days: Int
    ) async throws(DomainError) -> Overview {
        let now = clock.now
        let days = Int64(clamping: min(max(days, 1), Self.longestSpanDays))
        let first = days == 1 ? now.hour - 23 : (now.day - days + 1) * 24
        return try await schedule(
            in: application, for: SearchRequest(by: .admin), within: SearchScheduler.longestTimeOfAdmin
        ) { transaction throws(DomainError) in
            var statistics = try transaction.statistics(of: application, since: first)
            // What is not written yet; after a long time without a server, the last two days of it.
            let next = max(first, (try transaction.lastHour(of: application) ?? first - 1) + 1, now.hour - 48)
            for hour in next...max(next, now.hour) { statistics += try transaction.count(hour: hour, in: application) }
            return Overview(
                hours: first...now.hour, statistics: statistics, userCount: try transaction.userCount(in: application),
                activeToday: try transaction.countActiveUsers(in: application, since: now.day),
                activeMonth: try transaction.countActiveUsers(in: application, since: now.day - 29))
        }
    }
}

extension Transaction {
    /// What can be counted of an hour at any time after it. An hour without anything has its zero of new users.
    fileprivate func count(hour: Int64, in application: Identifier<Application>) throws(DomainError) -> [Statistic] {
        let (start, end) = (Timestamp(hour: hour), Timestamp(hour: hour + 1))
        let users = try countUsers(in: application, from: start, to: end)
        return [Statistic(hour: hour, name: .newUsers, value: users)]
            + (try countAudit(in: application, from: start, to: end)).map {
                Statistic(hour: hour, name: $0, value: $1)
            }
    }

    /// How many users were there up to the end of an hour, on its day and in 30 days.
    fileprivate func countActive(
        hour: Int64, in application: Identifier<Application>
    ) throws(DomainError) -> [Statistic] {
        let day = hour / 24
        return [
            Statistic(hour: hour, name: .activeToday, value: try countActiveUsers(in: application, since: day)),
            Statistic(hour: hour, name: .activeMonth, value: try countActiveUsers(in: application, since: day - 29)),
        ]
    }
}
