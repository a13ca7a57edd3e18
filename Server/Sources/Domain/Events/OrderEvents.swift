/// Gives the events that were written since the last call their positions, and lets them wait for the endpoints that take them.
///
/// A step of its own, so that actions do not wait for each other: two that end at once would otherwise need to agree on
/// numbers. What has a position never gets an earlier one beside it, so a reader of the stream misses nothing.
package struct OrderEvents: Sendable {
    /// Events of one transaction. Log-ins of the embedded database wait for one at the most: with 200 of them, while very many
    /// events had no position, a log-in took eight times as long.
    private static let batch = 50

    let store: any Store
    let clock: any WallClock

    /// - Throws: `storageUnavailable`.
    package func callAsFunction() async throws(DomainError) {
        while true {
            // Looking costs less than writing, and most calls find nothing.
            let isWaiting = try await store.read { transaction throws(DomainError) in
                try !transaction.unorderedEvents(limit: 1).isEmpty
            }
            guard isWaiting else { return }
            let now = clock.now
            try await store.write { transaction throws(DomainError) in try order(in: transaction, at: now) }
        }
    }

    private func order(in transaction: any Transaction, at now: Timestamp) throws(DomainError) {
        var last: [Identifier<Application>: Int64] = [:]
        var endpoints: [Identifier<Application>: [EventEndpoint]] = [:]
        for var event in try transaction.unorderedEvents(limit: Self.batch) {
            let application = event.application
            if last[application] == nil {
                last[application] = try transaction.lastEventPosition(in: application)
                endpoints[application] = try transaction.eventEndpoints(in: application)
            }
            let position = (last[application] ?? 0) + 1
            last[application] = position
            event.position = position
            try transaction.writePosition(of: event)
            for endpoint in endpoints[application] ?? [] where endpoint.takes(event.type) {
                try transaction.enqueue(
                    EventDelivery(
                        application: application, endpoint: endpoint.id, event: event.id, user: event.user,
                        position: position, nextTryAt: now), at: now)
            }
        }
        for (application, position) in last { try transaction.setLastEventPosition(position, in: application) }
    }
}

/// Reads the stream of an application's events.
package struct ReadEvents: Sendable {
    package static let maximumPageSize = 500

    let store: any Store
    let orderEvents: OrderEvents

    package struct Page: Sendable {
        package var events: [Event]
        /// Where to read on.
        package var next: Int64
    }

    /// - Parameters:
    ///   - application: Whose.
    ///   - position: Behind which; 0 for the oldest that is kept.
    ///   - types: Which; empty for all.
    ///   - limit: The most to look at.
    /// - Returns: events in order, and the position of the last one that was looked at.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction(
        in application: Identifier<Application>, after position: Int64, types: Set<EventType> = [], limit: Int
    ) async throws(DomainError) -> Page {
        try await orderEvents()
        let limit = min(max(limit, 1), Self.maximumPageSize)
        let found = try await store.read { transaction throws(DomainError) in
            try transaction.events(in: application, after: position, limit: limit)
        }
        return Page(
            events: found.filter { types.isEmpty || types.contains($0.type) },
            next: found.last?.position ?? position)
    }

    /// The position behind which nothing has happened yet.
    ///
    /// - Throws: `storageUnavailable`.
    package func end(of application: Identifier<Application>) async throws(DomainError) -> Int64 {
        try await orderEvents()
        return try await store.read { transaction throws(DomainError) in
            try transaction.lastEventPosition(in: application)
        }
    }
}

/// Removes events that are older than their application keeps them, whether they were delivered or not.
struct RemoveOldEvents: Sendable {
    private static let batch = 1000

    let store: any Store
    let clock: any WallClock

    /// - Throws: `storageUnavailable`.
    func callAsFunction(of applications: [Application]) async throws(DomainError) {
        let now = clock.now
        for application in applications {
            let limit = now - application.settings.events.retention
            var removed = Self.batch
            while removed == Self.batch {
                removed = try await store.write { transaction throws(DomainError) in
                    try transaction.removeEvents(in: application.id, before: limit, count: Self.batch)
                }
            }
        }
    }
}
