package import Domain

extension SQLTransaction {
    package func insert(_ event: Event) throws(DomainError) {
        try connection.run(
            """
            INSERT INTO events (application_id, id, type, user_id, left_user_id, happened_at, details, position,
                user_number)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, (
                SELECT COALESCE(MAX(number), 0) + 1 FROM (
                    SELECT MAX(user_number) AS number FROM events WHERE application_id = $1 AND user_id = $4
                    UNION ALL
                    SELECT MAX(user_number) FROM events WHERE application_id = $1 AND user_id = $5
                    UNION ALL
                    SELECT MAX(user_number) FROM events WHERE application_id = $1 AND left_user_id = $4
                    UNION ALL
                    SELECT MAX(user_number) FROM events WHERE application_id = $1 AND left_user_id = $5
                ) AS numbers))
            ON CONFLICT DO NOTHING
            """,
            try EventRow.values(of: event))
        note(.eventsWritten)
    }

    package func applicationWithUnorderedEvents(
        after application: Identifier<Application>?
    ) throws(DomainError) -> Identifier<Application>? {
        // In the whole order of the index, so that no other one is taken.
        try connection.row(
            """
            SELECT application_id FROM events WHERE position IS NULL AND application_id > $1
            ORDER BY application_id, user_number, id LIMIT 1
            """, [.text(application?.rawValue ?? "")]
        ) { row throws(DomainError) in row.only.id() }
    }

    package func unorderedEvents(
        in application: Identifier<Application>, limit: Int
    ) throws(DomainError) -> [Event] {
        try connection.all(
            EventRow.self,
            "FROM events WHERE application_id = $1 AND position IS NULL ORDER BY user_number, id LIMIT $2",
            [.id(application), .count(limit)])
    }

    package func writePosition(of event: Event) throws(DomainError) {
        try connection.run(
            "UPDATE events SET position = $1 WHERE application_id = $2 AND id = $3",
            try EventRow.values(of: event, .position, .applicationId, .id))
    }

    package func lastEventPosition(in application: Identifier<Application>) throws(DomainError) -> Int64 {
        try connection.row("SELECT position FROM event_streams WHERE application_id = $1", [.id(application)]) {
            row throws(DomainError) in row.only.integer
        } ?? 0
    }

    package func setLastEventPosition(
        _ position: Int64, in application: Identifier<Application>
    ) throws(DomainError) {
        try connection.run(
            """
            INSERT INTO event_streams (application_id, position) VALUES ($1, $2)
            ON CONFLICT (application_id) DO UPDATE SET position = excluded.position
            """, [.id(application), .integer(position)])
    }

    package func events(
        in application: Identifier<Application>, after position: Int64, limit: Int
    ) throws(DomainError) -> [Event] {
        try connection.all(
            EventRow.self, "FROM events WHERE application_id = $1 AND position > $2 ORDER BY position LIMIT $3",
            [.id(application), .integer(position), .count(limit)])
    }

    package func newestEvents(
        in application: Identifier<Application>, limit: Int
    ) throws(DomainError) -> [Event] {
        try connection.all(
            EventRow.self, "FROM events WHERE application_id = $1 AND position > 0 ORDER BY position DESC LIMIT $2",
            [.id(application), .count(limit)]
        ).reversed()
    }

    package func events(
        of user: Identifier<User>, in application: Identifier<Application>, limit: Int
    ) throws(DomainError) -> [Event] {
        try connection.all(
            EventRow.self,
            "FROM events WHERE application_id = $1 AND user_id = $2 ORDER BY user_number DESC LIMIT $3",
            [.id(application), .id(user), .count(limit)])
    }

    package func event(
        _ id: Identifier<Event>, in application: Identifier<Application>
    ) throws(DomainError) -> Event? {
        try connection.first(
            EventRow.self, "FROM events WHERE application_id = $1 AND id = $2", [.id(application), .id(id)])
    }

    package func removeEvents(
        in application: Identifier<Application>, before limit: Timestamp, count: Int
    ) throws(DomainError) -> Int {
        // The oldest by position, so that no index by time is needed: positions grow with time.
        let oldest = try events(in: application, after: 0, limit: count)
        let old = Array(oldest.prefix { $0.at < limit })
        guard let last = old.last?.position else { return 0 }
        // Endpoint by endpoint, so that no more is read than is removed, whatever else waits.
        for endpoint in try eventEndpoints(in: application) {
            let behind: [Value] = [.id(application), .id(endpoint.id), .integer(last)]
            let heads = try connection.all(
                EventDeliveryRow.self,
                """
                FROM event_deliveries
                WHERE application_id = $1 AND endpoint_id = $2 AND position <= $3 AND next_try_at IS NOT NULL
                ORDER BY position
                """, behind)
            try connection.run(
                "DELETE FROM event_deliveries WHERE application_id = $1 AND endpoint_id = $2 AND position <= $3",
                behind)
            for head in heads { try promoteNext(after: head, at: limit) }
        }
        try connection.run(
            "DELETE FROM events WHERE application_id = $1 AND position <= $2", [.id(application), .integer(last)])
        return old.count
    }
}

extension SQLTransaction {
    package func eventEndpoints(in application: Identifier<Application>) throws(DomainError) -> [EventEndpoint] {
        try connection.all(
            EventEndpointRow.self, "FROM event_endpoints WHERE application_id = $1 ORDER BY id", [.id(application)])
    }

    package func eventEndpoint(
        _ id: Identifier<EventEndpoint>, in application: Identifier<Application>
    ) throws(DomainError) -> EventEndpoint? {
        try connection.first(
            EventEndpointRow.self, "FROM event_endpoints WHERE application_id = $1 AND id = $2",
            [.id(application), .id(id)])
    }

    package func insert(_ endpoint: EventEndpoint) throws(DomainError) {
        try connection.insert(endpoint, as: EventEndpointRow.self)
    }

    package func update(_ endpoint: EventEndpoint) throws(DomainError) {
        try connection.run(
            """
            UPDATE event_endpoints
            SET url = $1, types = $2, includes_user = $3, is_paused = $4, sealed_secret = $5, sealed_former = $6,
                former_until = $7, gone_at = $8
            WHERE application_id = $9 AND id = $10
            """,
            try EventEndpointRow.values(
                of: endpoint, .url, .types, .includesUser, .isPaused, .sealedSecret, .sealedFormer, .formerUntil,
                .goneAt, .applicationId, .id))
        note(.eventsWritten)
    }

    package func noteCall(of endpoint: EventEndpoint) throws(DomainError) {
        try connection.run(
            "UPDATE event_endpoints SET failures = $1, resumes_at = $2 WHERE application_id = $3 AND id = $4",
            try EventEndpointRow.values(of: endpoint, .failures, .resumesAt, .applicationId, .id))
    }

    package func remove(_ endpoint: EventEndpoint) throws(DomainError) {
        try connection.run(
            "DELETE FROM event_endpoints WHERE application_id = $1 AND id = $2",
            [.id(endpoint.application), .id(endpoint.id)])
    }

    package func removeDeliveries(
        toRemovedEndpointsOf application: Identifier<Application>, count: Int
    ) throws(DomainError) -> Int {
        // Two steps in an index for each endpoint for which something waits, however much that is.
        let removed = try connection.row(
            """
            WITH RECURSIVE receivers (id) AS (
                SELECT MIN(endpoint_id) FROM event_deliveries WHERE application_id = $1
                UNION ALL
                SELECT (
                    SELECT MIN(endpoint_id) FROM event_deliveries
                    WHERE application_id = $1 AND endpoint_id > receivers.id)
                FROM receivers WHERE receivers.id IS NOT NULL
            )
            SELECT id FROM receivers WHERE id IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM event_endpoints
                WHERE event_endpoints.application_id = $1 AND event_endpoints.id = receivers.id)
            LIMIT 1
            """, [.id(application)]
        ) { row throws(DomainError) -> Identifier<EventEndpoint> in row.only.id() }
        guard let endpoint = removed else { return 0 }
        return try connection.change(
            """
            DELETE FROM event_deliveries WHERE application_id = $1 AND endpoint_id = $2 AND position IN (
                SELECT position FROM event_deliveries WHERE application_id = $1 AND endpoint_id = $2
                ORDER BY position LIMIT $3)
            """, [.id(application), .id(endpoint), .count(count)])
    }

    package func endpointsWithDueEvents(at now: Timestamp, limit: Int) throws(DomainError) -> [EventEndpoint] {
        try connection.all(
            EventEndpointRow.self,
            """
            FROM event_endpoints WHERE is_paused = 0 AND (resumes_at <= $1 OR resumes_at > $2) AND EXISTS (
                SELECT 1 FROM event_deliveries
                WHERE event_deliveries.application_id = event_endpoints.application_id
                    AND event_deliveries.endpoint_id = event_endpoints.id AND event_deliveries.next_try_at <= $1)
            ORDER BY resumes_at, id LIMIT $3
            """, [.time(now), .time(now + EventEndpoint.longestRest), .count(limit)])
    }
}
