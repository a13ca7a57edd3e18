package import Domain

extension SQLTransaction {
    package func enqueue(_ delivery: EventDelivery, at now: Timestamp) throws(DomainError) {
        var waiting = delivery
        waiting.nextTryAt = try isAnyWaiting(beside: delivery) ? nil : now
        // One that was given up waits anew; one that waits goes on as it is.
        try connection.insert(
            waiting, as: EventDeliveryRow.self,
            """
            ON CONFLICT (application_id, endpoint_id, position) DO UPDATE
            SET is_given_up = 0, attempts = 0, claim = NULL, next_try_at = excluded.next_try_at
            WHERE event_deliveries.is_given_up = 1
            """)
        note(.eventsWritten)
    }

    package func claimDeliveries(
        of endpoint: EventEndpoint, dueBy now: Timestamp, repetition: Timestamp, limit: Int, lease: Timestamp,
        claim: String
    ) throws(DomainError) -> [EventDelivery] {
        let due = try connection.all(
            EventDeliveryRow.self,
            """
            FROM event_deliveries WHERE application_id = $1 AND endpoint_id = $2 AND next_try_at <= $3
            ORDER BY next_try_at, position LIMIT $4
            """, [.id(endpoint.application), .id(endpoint.id), .time(now), .count(limit)])
        var claimed: [EventDelivery] = []
        for var delivery in due {
            if delivery.claim != nil, now < repetition {
                try wait(delivery, until: .time(repetition))
                continue
            }
            guard try !isHeld(delivery, at: now) else { continue }
            delivery.attempts += 1
            delivery.nextTryAt = lease
            delivery.claim = claim
            try connection.run(
                """
                UPDATE event_deliveries SET attempts = $1, next_try_at = $2, claim = $3
                WHERE application_id = $4 AND endpoint_id = $5 AND position = $6
                """,
                [.count(delivery.attempts), .time(lease), .text(claim)] + key(of: delivery))
            claimed.append(delivery)
        }
        return claimed
    }

    package func shortenDeliveryWaits(
        beyond limit: Timestamp, to now: Timestamp, count: Int
    ) throws(DomainError) -> Int {
        // An endpoint after the other, by the index of what is due.
        let changed = try connection.change(
            """
            UPDATE event_deliveries SET next_try_at = $1 WHERE (application_id, endpoint_id, position) IN (
                SELECT application_id, endpoint_id, position FROM event_deliveries
                WHERE (application_id, endpoint_id) IN (SELECT application_id, id FROM event_endpoints)
                    AND next_try_at > $2 AND (attempts = 0 OR next_try_at > $3)
                LIMIT $4)
            """, [.time(now), .time(now + EventDelivery.holdingTime), .time(limit), .count(count)])
        if changed > 0 { note(.eventsWritten) }
        return changed
    }

    /// Whether an event has to wait for another user's: one of two users comes behind the earlier ones of both, and the later
    /// ones of both come behind it. One that is held is looked at again soon, or behind an earlier one of its user that a
    /// replay has let wait: so no two ever wait for each other.
    private func isHeld(_ delivery: EventDelivery, at now: Timestamp) throws(DomainError) -> Bool {
        let earlier = try connection.row(
            """
            SELECT position FROM event_deliveries
            WHERE application_id = $1 AND endpoint_id = $2 AND left_user_id = $3 AND is_given_up = 0 AND position < $4
            UNION ALL
            SELECT position FROM event_deliveries
            WHERE application_id = $1 AND endpoint_id = $2 AND left_user_id = $5 AND is_given_up = 0 AND position < $4
            UNION ALL
            SELECT position FROM event_deliveries
            WHERE application_id = $1 AND endpoint_id = $2 AND user_id = $5 AND is_given_up = 0 AND position < $4
            LIMIT 1
            """,
            [
                .id(delivery.application), .id(delivery.endpoint), .id(delivery.user), .integer(delivery.position),
                .optional(delivery.leftUser),
            ]
        ) { row throws(DomainError) in row.only.integer }
        guard earlier != nil else { return false }
        let first = try connection.row(
            """
            SELECT MIN(position) FROM event_deliveries
            WHERE application_id = $1 AND endpoint_id = $2 AND user_id = $3 AND is_given_up = 0
            """, [.id(delivery.application), .id(delivery.endpoint), .id(delivery.user)]
        ) { row throws(DomainError) in row.only.integer }
        let isFirst = first == delivery.position
        try wait(delivery, until: isFirst ? .time(now + EventDelivery.holdingTime) : .null)
        if !isFirst { try promoteNext(after: delivery, at: now) }
        return true
    }

    /// What is due is looked at again then, and stays as it is otherwise.
    private func wait(_ delivery: EventDelivery, until time: Value) throws(DomainError) {
        try connection.run(
            """
            UPDATE event_deliveries SET next_try_at = $1
            WHERE application_id = $2 AND endpoint_id = $3 AND position = $4
            """, [time] + key(of: delivery))
    }

    package func finish(
        _ delivery: EventDelivery, at now: Timestamp
    ) throws(DomainError) -> Bool {
        let count = try connection.change(
            """
            DELETE FROM event_deliveries
            WHERE application_id = $1 AND endpoint_id = $2 AND position = $3 AND claim = $4
            """, key(of: delivery) + [.optional(delivery.claim)])
        guard count == 1 else { return false }
        try promoteNext(after: delivery, at: now)
        return true
    }

    package func postpone(_ delivery: EventDelivery, at now: Timestamp) throws(DomainError) {
        let count = try connection.change(
            """
            UPDATE event_deliveries SET next_try_at = $1, is_given_up = $2, last_fault = $3, claim = NULL
            WHERE application_id = $4 AND endpoint_id = $5 AND position = $6 AND claim = $7
            """,
            [.optional(delivery.nextTryAt), .truth(delivery.isGivenUp), .optional(delivery.lastFault)]
                + key(of: delivery) + [.optional(delivery.claim)])
        if count == 1, delivery.isGivenUp { try promoteNext(after: delivery, at: now) }
    }

    package func deliveries(
        to endpoint: Identifier<EventEndpoint>, in application: Identifier<Application>, givenUp: Bool, limit: Int
    ) throws(DomainError) -> [EventDelivery] {
        try connection.all(
            EventDeliveryRow.self,
            """
            FROM event_deliveries WHERE application_id = $1 AND endpoint_id = $2 AND is_given_up = $3
            ORDER BY position LIMIT $4
            """, [.id(application), .id(endpoint), .truth(givenUp), .count(limit)])
    }

    package func deliveries(
        to endpoint: Identifier<EventEndpoint>, in application: Identifier<Application>, from position: Int64,
        limit: Int
    ) throws(DomainError) -> [EventDelivery] {
        try connection.all(
            EventDeliveryRow.self,
            """
            FROM event_deliveries WHERE application_id = $1 AND endpoint_id = $2 AND position >= $3
            ORDER BY position LIMIT $4
            """, [.id(application), .id(endpoint), .integer(position), .count(limit)])
    }

    package func deliveries(
        of user: Identifier<User>, to endpoint: Identifier<EventEndpoint>, in application: Identifier<Application>,
        from position: Int64, limit: Int
    ) throws(DomainError) -> [EventDelivery] {
        var found: [EventDelivery] = []
        // Each part in the order of the index.
        for isGivenUp in [true, false] {
            found += try connection.all(
                EventDeliveryRow.self,
                """
                FROM event_deliveries WHERE application_id = $1 AND endpoint_id = $2 AND user_id = $3
                    AND is_given_up = $4 AND position >= $5
                ORDER BY position LIMIT $6
                """,
                [
                    .id(application), .id(endpoint), .id(user), .truth(isGivenUp), .integer(position), .count(limit),
                ])
        }
        return found.sorted { $0.position < $1.position }
    }

    package func eventBacklog(limit: Int) throws(DomainError) -> EventBacklog {
        // Rows come in any order that costs little: nothing is sorted.
        let found = try connection.row(
            """
            SELECT COUNT(CASE WHEN is_given_up = 0 THEN 1 END), COUNT(CASE WHEN is_given_up = 1 THEN 1 END), (
                SELECT MIN(happened_at) FROM (
                    SELECT happened_at FROM events WHERE position IS NULL ORDER BY user_number, id LIMIT 1000) unordered)
            FROM (SELECT is_given_up FROM event_deliveries LIMIT $1) counted
            """, [.count(limit)]
        ) { row throws(DomainError) in
            let row = ColumnReader<BacklogColumn>(row)
            return EventBacklog(
                waiting: row.count(.waiting), givenUp: row.count(.givenUp),
                unorderedSince: row.optionalTime(.unorderedSince))
        }
        return found ?? EventBacklog()
    }

    package func revive(_ delivery: EventDelivery, at now: Timestamp) throws(DomainError) {
        let next = try isAnyWaiting(beside: delivery) ? nil : now
        try connection.run(
            """
            UPDATE event_deliveries SET is_given_up = 0, attempts = 0, claim = NULL, next_try_at = $1
            WHERE application_id = $2 AND endpoint_id = $3 AND position = $4 AND is_given_up = 1
            """, [.optional(next)] + key(of: delivery))
        note(.eventsWritten)
    }

    /// Lets the earliest event of the user that waits be due.
    func promoteNext(after delivery: EventDelivery, at now: Timestamp) throws(DomainError) {
        try connection.run(
            """
            UPDATE event_deliveries SET next_try_at = $1
            WHERE application_id = $2 AND endpoint_id = $3 AND next_try_at IS NULL AND is_given_up = 0 AND position = (
                SELECT MIN(position) FROM event_deliveries
                WHERE application_id = $2 AND endpoint_id = $3 AND user_id = $4 AND is_given_up = 0)
            """, [.time(now), .id(delivery.application), .id(delivery.endpoint), .id(delivery.user)])
    }

    private func isAnyWaiting(beside delivery: EventDelivery) throws(DomainError) -> Bool {
        try connection.row(
            """
            SELECT position FROM event_deliveries
            WHERE application_id = $1 AND endpoint_id = $2 AND user_id = $3 AND is_given_up = 0 LIMIT 1
            """, [.id(delivery.application), .id(delivery.endpoint), .id(delivery.user)]
        ) { row throws(DomainError) in row.only.integer } != nil
    }

    private func key(of delivery: EventDelivery) -> [Value] {
        [.id(delivery.application), .id(delivery.endpoint), .integer(delivery.position)]
    }
}

private enum BacklogColumn: Int, RowColumn {
    case waiting, givenUp, unorderedSince
}
