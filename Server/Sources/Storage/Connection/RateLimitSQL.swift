package import Domain

extension SQLTransaction {
    package func count(
        _ key: RateLimitKey, window: Duration, at now: Timestamp
    ) throws(DomainError) -> (count: Int, windowStart: Timestamp) {
        let counted = try connection.row(
            .returning(
                RateLimitRow.self,
                """
                INSERT INTO rate_limits (application_id, kind, subject, window_start, used) VALUES ($1, $2, $3, $4, 1)
                ON CONFLICT (application_id, kind, subject) DO UPDATE SET
                    used = CASE WHEN rate_limits.window_start BETWEEN $5 AND $6 THEN rate_limits.used + 1 ELSE 1 END,
                    window_start = CASE WHEN rate_limits.window_start BETWEEN $5 AND $6 THEN rate_limits.window_start
                        ELSE $4 END
                """),
            [.id(key.application), .text(key.kind), .text(key.subject), .time(now)] + Self.beginnings(window, at: now)
        ) { row throws(DomainError) in try RateLimitRow.content(ColumnReader(row)) }
        // The statement always returns its row.
        guard let counted else { throw .storageUnavailable }
        return counted
    }

    package func counted(
        _ key: RateLimitKey, window: Duration, at now: Timestamp
    ) throws(DomainError) -> (count: Int, windowStart: Timestamp)? {
        try connection.first(
            RateLimitRow.self,
            """
            FROM rate_limits WHERE application_id = $1 AND kind = $2 AND subject = $3 AND window_start BETWEEN $4 AND $5
            """,
            [.id(key.application), .text(key.kind), .text(key.subject)] + Self.beginnings(window, at: now))
    }

    /// The first and the last time at which a window can have begun that is not over. One that begins later than it lasts was
    /// counted before the clock was set back; nodes' clocks are not that far from each other.
    private static func beginnings(_ window: Duration, at now: Timestamp) -> [Value] {
        [.time(now - window + .milliseconds(1)), .time(now + window)]
    }

    package func uncount(_ key: RateLimitKey) throws(DomainError) {
        try connection.run(
            """
            UPDATE rate_limits SET used = used - 1
            WHERE application_id = $1 AND kind = $2 AND subject = $3 AND used > 0
            """,
            [.id(key.application), .text(key.kind), .text(key.subject)])
    }

    package func counters(
        startedBefore limit: Timestamp, after key: RateLimitKey?, count: Int
    ) throws(DomainError) -> [RateLimitKey] {
        try connection.all(
            RateLimitKeyRow.self,
            """
            FROM rate_limits
            WHERE (application_id, kind, subject) > ($1, $2, $3) AND window_start < $4
            ORDER BY application_id, kind, subject LIMIT $5
            """,
            [
                .text(key?.application.rawValue ?? ""), .text(key?.kind ?? ""), .text(key?.subject ?? ""), .time(limit),
                .count(count),
            ])
    }

    package func remove(_ counters: [RateLimitKey], startedBefore limit: Timestamp) throws(DomainError) {
        for key in counters {
            try connection.run(
                """
                DELETE FROM rate_limits WHERE application_id = $1 AND kind = $2 AND subject = $3 AND window_start < $4
                """, [.id(key.application), .text(key.kind), .text(key.subject), .time(limit)])
        }
    }
}

enum RateLimitKeyRow: Row {
    static let table: StaticString = "rate_limits"

    enum Column: Int, RowColumn {
        case applicationId, kind, subject
    }

    static func content(_ row: ColumnReader<Column>) throws(DomainError) -> RateLimitKey {
        RateLimitKey(application: row.id(.applicationId), kind: row.text(.kind), subject: row.text(.subject))
    }
}

enum RateLimitRow: Row {
    static let table: StaticString = "rate_limits"

    enum Column: Int, RowColumn {
        case used, windowStart
    }

    static func content(_ row: ColumnReader<Column>) throws(DomainError) -> (count: Int, windowStart: Timestamp) {
        (row.count(.used), row.time(.windowStart))
    }
}
