import Synchronization

/// Events of users for the backends of apps: their order, their stream, and the endpoints that they are sent to.
package final class Events: Sendable {
    package let readEvents: ReadEvents
    package let deliverEvents: DeliverEvents
    package let endpoints: ManageEventEndpoints
    package let changeSettings: ChangeEventSettings
    package let testEndpoint: TestEventEndpoint
    package let replayEvents: ReplayEvents
    package let listDeliveries: ListEventDeliveries
    package let countBacklog: CountEventBacklog
    /// Requests that wait for an event.
    package let readers = WaitingReaders()
    /// Tells when there are events to order and to send.
    package let signal = QueueSignal()
    private let observer = Observer<DeliverEvents.Round>()

    init(_ world: DomainWorld, audit: AuditTrail) {
        let (store, clock, randomness) = (world.store, world.clock, world.randomness)
        let secrets = EventSecrets(key: world.sealingKey, randomness: randomness)
        let orderEvents = OrderEvents(store: store, clock: clock, signal: signal)
        readEvents = ReadEvents(store: store, orderEvents: orderEvents)
        deliverEvents = DeliverEvents(
            store: store, clock: clock, randomness: randomness, secrets: secrets,
            carrier: world.services.eventCarrier, orderEvents: orderEvents, audit: audit, observer: observer,
            repetition: clock.now + DeliverEvents.settlingTime)
        endpoints = ManageEventEndpoints(
            store: store, clock: clock, randomness: randomness, secrets: secrets,
            carrier: world.services.eventCarrier, audit: audit)
        changeSettings = ChangeEventSettings(editApplication: EditApplication(world, audit: audit))
        testEndpoint = TestEventEndpoint(
            store: store, clock: clock, randomness: randomness, deliverEvents: deliverEvents,
            lanes: SharedLanes(TestEventEndpoint.lanes), audit: audit)
        replayEvents = ReplayEvents(store: store, clock: clock, orderEvents: orderEvents, signal: signal, audit: audit)
        listDeliveries = ListEventDeliveries(store: store)
        countBacklog = CountEventBacklog(store: store)
    }

    /// Called with each part of a round, when its events were delivered, postponed or given up.
    package func observeDeliveries(_ observer: @escaping @Sendable (DeliverEvents.Round) -> Void) {
        self.observer.set(observer)
    }
}

/// How many requests wait for an event, and how many streams are open. Beyond the limits requests are answered at once, and
/// streams are refused.
package final class WaitingReaders: Sendable {
    package static let maximum = 200
    package static let maximumStreams = 100
    /// One application does not take the streams of all others.
    package static let maximumStreamsPerApplication = 20

    private struct State {
        var waiting = Lanes(WaitingReaders.maximum)
        var streams: [Identifier<Application>: Int] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Whether one more may wait; then it has to leave again. Of one application half of them wait at the most.
    package func enter(_ application: Identifier<Application>) -> Bool {
        state.withLock { state in !state.isClosed && state.waiting.take(for: application) }
    }

    package func leave(_ application: Identifier<Application>) { state.withLock { $0.waiting.leave(application) } }

    /// How many wait now.
    package var waiting: Int { state.withLock { $0.waiting.taken } }

    /// Whether one more stream may begin; then it has to end with `endStream`.
    package func beginStream(of application: Identifier<Application>) -> Bool {
        state.withLock { state in
            let own = state.streams[application, default: 0]
            guard own < Self.maximumStreamsPerApplication, !state.isClosed,
                state.streams.values.reduce(0, +) < Self.maximumStreams
            else { return false }
            state.streams[application] = own + 1
            return true
        }
    }

    package func endStream(of application: Identifier<Application>) {
        state.withLock { state in
            let left = (state.streams[application] ?? 1) - 1
            state.streams[application] = left > 0 ? left : nil
        }
    }

    /// Whether the server stops: all who wait are answered, and streams end.
    package var isClosed: Bool { state.withLock { $0.isClosed } }

    package func close() { state.withLock { $0.isClosed = true } }
}

/// Sends an event of the type `test` to an endpoint, at once and without the queue. Tests that hang take no call from events.
package struct TestEventEndpoint: Sendable {
    /// Tests that are under way at once, on one node.
    static let lanes = 64

    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let deliverEvents: DeliverEvents
    let lanes: SharedLanes
    let audit: AuditTrail

    /// - Returns: what became of it.
    /// - Throws: `administration(notFound)`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<EventEndpoint>, in application: Identifier<Application>, by who: Operator
    ) async throws(DomainError) -> EventOutcome {
        let endpoint = try await store.read { transaction throws(DomainError) in
            try transaction.eventEndpoint(id, in: application)
        }
        guard let endpoint else { throw .administration(.notFound) }
        guard lanes.take(for: application) else { return .failed(reason: DeliveryFault.text(.tooManyTests)) }
        defer { lanes.leave(application) }
        try await audit.record(
            .testEventSent, details: ["event-endpoint": id.rawValue], by: who, in: application, to: store)
        let now = clock.now
        let event = Event(
            id: randomness.newIdentifier(at: now), application: application, type: .test,
            user: Identifier(rawValue: ""), at: now)
        return await deliverEvents.call(endpoint, about: event, nil)
    }
}

/// What waits for an endpoint, or was given up.
package struct ListEventDeliveries: Sendable {
    package static let maximumPageSize = 500

    /// A delivery, and what it is about.
    package struct Listed: Hashable, Sendable {
        package let delivery: EventDelivery
        /// `nil` for an event that is gone.
        package let type: EventType?
    }

    let store: any Store

    /// - Throws: `administration(notFound)`, `storageUnavailable`.
    package func callAsFunction(
        to id: Identifier<EventEndpoint>, in application: Identifier<Application>, givenUp: Bool, limit: Int
    ) async throws(DomainError) -> [Listed] {
        let limit = min(max(limit, 1), Self.maximumPageSize)
        return try await store.read { transaction throws(DomainError) in
            guard try transaction.eventEndpoint(id, in: application) != nil else { throw .administration(.notFound) }
            return try transaction.deliveries(to: id, in: application, givenUp: givenUp, limit: limit).map {
                delivery throws(DomainError) in
                Listed(delivery: delivery, type: try transaction.event(delivery.event, in: application)?.type)
            }
        }
    }

    /// The endpoints of an application, and what waits for them or was given up, of so many events from a position on.
    ///
    /// - Throws: `storageUnavailable`.
    package func all(
        in application: Identifier<Application>, from position: Int64, limit: Int
    ) async throws(DomainError) -> (endpoints: [EventEndpoint], deliveries: [EventDelivery]) {
        let limit = min(max(limit, 1), Self.maximumPageSize)
        return try await store.read { transaction throws(DomainError) in
            let endpoints = try transaction.eventEndpoints(in: application)
            var deliveries: [EventDelivery] = []
            for endpoint in endpoints {
                deliveries += try transaction.deliveries(
                    to: endpoint.id, in: application, from: position, limit: limit)
            }
            return (endpoints, deliveries)
        }
    }
}

/// Sends events again: those that were given up, or all behind a position. The audit log says so before the first one waits.
///
/// One replay of an application is under way on a node. It goes on when its client has left, and many at once would be as many
/// transactions before each one of everybody else (decision 0247).
package struct ReplayEvents: Sendable {
    /// Events in one transaction.
    static let batch = 200
    /// When who was refused may come again.
    static let retry: Duration = .seconds(5)

    let store: any Store
    let clock: any WallClock
    let orderEvents: OrderEvents
    let signal: QueueSignal
    let audit: AuditTrail
    private let turns = Turns()

    init(store: any Store, clock: any WallClock, orderEvents: OrderEvents, signal: QueueSignal, audit: AuditTrail) {
        self.store = store
        self.clock = clock
        self.orderEvents = orderEvents
        self.signal = signal
        self.audit = audit
    }

    /// The applications of which a replay is under way.
    private final class Turns: Sendable {
        private let taken = Mutex<Set<Identifier<Application>>>([])

        /// - Throws: `busy` while there is one.
        func take(_ application: Identifier<Application>) throws(DomainError) {
            guard taken.withLock({ $0.insert(application).inserted }) else {
                throw .busy(retryAfter: ReplayEvents.retry)
            }
        }

        func leave(_ application: Identifier<Application>) {
            taken.withLock { _ = $0.remove(application) }
        }
    }

    /// Lets all that was given up of an endpoint wait again.
    ///
    /// - Returns: how many.
    /// - Throws: `administration(notFound)`, `busy` while another replay of the application is under way, `storageUnavailable`.
    package func callAsFunction(
        givenUpOf id: Identifier<EventEndpoint>, in application: Identifier<Application>, by who: Operator
    ) async throws(DomainError) -> Int {
        try turns.take(application)
        defer { turns.leave(application) }
        try await record(["events": "given-up"], of: id, in: application, by: who)
        let now = clock.now
        var (total, count) = (0, Self.batch)
        while count == Self.batch {
            count = try await store.write { transaction throws(DomainError) in
                guard try transaction.eventEndpoint(id, in: application) != nil else {
                    throw .administration(.notFound)
                }
                let dead = try transaction.deliveries(to: id, in: application, givenUp: true, limit: Self.batch)
                for delivery in dead { try transaction.revive(delivery, at: now) }
                return dead.count
            }
            total += count
        }
        signal.ring()
        return total
    }

    /// Sends everything behind a position again that the endpoint takes.
    ///
    /// - Returns: how many.
    /// - Throws: `administration(notFound)`, `busy` while another replay of the application is under way, `storageUnavailable`.
    package func callAsFunction(
        after position: Int64, to id: Identifier<EventEndpoint>, in application: Identifier<Application>,
        by who: Operator
    ) async throws(DomainError) -> Int {
        try turns.take(application)
        defer { turns.leave(application) }
        try await record(["after": String(max(position, 0))], of: id, in: application, by: who)
        // What has no position yet goes to the endpoint anyway, when it gets one.
        try await orderEvents(in: application, upTo: Self.batch)
        let now = clock.now
        var total = 0
        var cursor: Int64? = max(position, 0)
        while let from = cursor {
            let (count, next) = try await store.write { transaction throws(DomainError) -> (Int, Int64?) in
                guard let endpoint = try transaction.eventEndpoint(id, in: application) else {
                    throw .administration(.notFound)
                }
                let events = try transaction.events(in: application, after: from, limit: Self.batch)
                let taken = events.filter { endpoint.takes($0.type) }
                for event in taken {
                    try transaction.enqueue(EventDelivery(of: event, to: endpoint, at: now), at: now)
                }
                return (taken.count, events.count == Self.batch ? events.last?.position : nil)
            }
            total += count
            cursor = next
        }
        signal.ring()
        return total
    }

    private func record(
        _ events: [String: String], of id: Identifier<EventEndpoint>, in application: Identifier<Application>,
        by who: Operator
    ) async throws(DomainError) {
        let known = try await store.read { transaction throws(DomainError) in
            try transaction.eventEndpoint(id, in: application)
        }
        guard known != nil else { throw .administration(.notFound) }
        let details = events.merging(["event-endpoint": id.rawValue]) { first, _ in first }
        try await audit.record(.eventsReplayed, details: details, by: who, in: application, to: store)
    }
}
