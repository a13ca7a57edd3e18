import Synchronization

/// Gives the events that were written since the last call their positions, and lets them wait for the endpoints that take them.
///
/// A step of its own, so that actions do not wait for each other: two that end at once would otherwise need to agree on
/// numbers. What has a position never gets an earlier one beside it, so a reader of the stream misses nothing.
///
/// Applications take turns, and each call does a bounded part: what very many events of one application cost, nobody else
/// waits for.
package struct OrderEvents: Sendable {
    /// Events of one transaction. Log-ins of the embedded database wait for one at the most: with 200 of them, while very many
    /// events had no position, a log-in took eight times as long.
    private static let batch = 50
    /// Turns of one call.
    private static let turnsOfACall = 8

    let store: any Store
    let clock: any WallClock
    /// Tells when there are events to order.
    let signal: QueueSignal
    private let last = LastTurn()

    init(store: any Store, clock: any WallClock, signal: QueueSignal) {
        self.store = store
        self.clock = clock
        self.signal = signal
    }

    /// Whose turn it was last.
    private final class LastTurn: Sendable {
        private let application = Mutex<Identifier<Application>?>(nil)
        var value: Identifier<Application>? { application.withLock { $0 } }
        func set(_ value: Identifier<Application>) { application.withLock { $0 = value } }
    }

    /// Takes a few turns, each of the next application that has events without a position.
    ///
    /// - Returns: whether there may be more.
    /// - Throws: `storageUnavailable`.
    func callAsFunction() async throws(DomainError) -> Bool {
        for _ in 0..<Self.turnsOfACall {
            let former = last.value
            // Looking costs less than writing, and most calls find nothing.
            let found = try await store.read { transaction throws(DomainError) -> Identifier<Application>? in
                if let former, let next = try transaction.applicationWithUnorderedEvents(after: former) { return next }
                return try transaction.applicationWithUnorderedEvents(after: nil)
            }
            guard let application = found else { return false }
            last.set(application)
            _ = try await order(application)
        }
        return true
    }

    /// Gives positions to an application's next events, beside its turns.
    ///
    /// - Parameters:
    ///   - application: Whose.
    ///   - count: To how many, rounded up to whole transactions.
    /// - Throws: `storageUnavailable`.
    func callAsFunction(in application: Identifier<Application>, upTo count: Int) async throws(DomainError) {
        var left = count
        while left > 0 {
            let isWaiting = try await store.read { transaction throws(DomainError) in
                try !transaction.unorderedEvents(in: application, limit: 1).isEmpty
            }
            guard isWaiting, try await order(application) == Self.batch else { return }
            left -= Self.batch
        }
    }

    /// - Returns: how many events got a position.
    private func order(_ application: Identifier<Application>) async throws(DomainError) -> Int {
        let now = clock.now
        return try await store.write { transaction throws(DomainError) in
            let found = try transaction.unorderedEvents(in: application, limit: Self.batch)
            guard !found.isEmpty else { return 0 }
            let endpoints = try transaction.eventEndpoints(in: application)
            var position = try transaction.lastEventPosition(in: application)
            for var event in found {
                position += 1
                event.position = position
                try transaction.writePosition(of: event)
                for endpoint in endpoints where endpoint.takes(event.type) {
                    try transaction.enqueue(EventDelivery(of: event, to: endpoint, at: now), at: now)
                }
            }
            try transaction.setLastEventPosition(position, in: application)
            return found.count
        }
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
        let limit = min(max(limit, 1), Self.maximumPageSize)
        try await orderEvents(in: application, upTo: limit)
        let found = try await store.read { transaction throws(DomainError) in
            try transaction.events(in: application, after: position, limit: limit)
        }
        return Page(
            events: found.filter { types.isEmpty || types.contains($0.type) },
            next: found.last?.position ?? position)
    }

    /// The newest events in order, with gaps between their positions or without.
    ///
    /// - Throws: `storageUnavailable`.
    package func newest(
        in application: Identifier<Application>, limit: Int
    ) async throws(DomainError) -> [Event] {
        let limit = min(max(limit, 1), Self.maximumPageSize)
        try await orderEvents(in: application, upTo: Self.maximumPageSize)
        return try await store.read { transaction throws(DomainError) in
            try transaction.newestEvents(in: application, limit: limit)
        }
    }

    /// The position behind which nothing has happened yet; while very many events have none, the last that was given.
    ///
    /// - Throws: `storageUnavailable`.
    package func end(of application: Identifier<Application>) async throws(DomainError) -> Int64 {
        try await orderEvents(in: application, upTo: Self.maximumPageSize)
        return try await store.read { transaction throws(DomainError) in
            try transaction.lastEventPosition(in: application)
        }
    }
}

/// Removes events that are older than their application keeps them, whether they were delivered or not, and what waits for endpoints
/// that were removed, also by a restore.
struct RemoveOldEvents: Sendable {
    /// Events, or deliveries to a removed endpoint, that one transaction removes.
    static let batch = 1000

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
                    let waiting = try transaction.removeDeliveries(
                        toRemovedEndpointsOf: application.id, count: Self.batch)
                    guard waiting == 0 else { return Self.batch }
                    return try transaction.removeEvents(in: application.id, before: limit, count: Self.batch)
                }
            }
        }
    }
}
