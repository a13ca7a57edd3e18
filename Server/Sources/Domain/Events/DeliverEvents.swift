/// Sends the events that are due to the endpoints of all applications. The server calls it when events were written and every
/// few seconds; several calls at once, and several nodes, share the work.
///
/// Each event is sent at least once, also when nodes die: a node takes it for a while (`lease`). Events of one user go to an
/// endpoint one after the other. What waits stays in the database: memory holds a few events for each endpoint.
package struct DeliverEvents: Sendable {
    /// Longer than a call may take.
    static let lease: Duration = .seconds(120)
    /// Events of different users that are sent to one endpoint side by side.
    static let batch = 8
    /// Endpoints that are served side by side: one that takes its time holds up nobody else.
    static let lanes = 16
    private static let maximumEndpoints = 1000
    /// The waits between the tries, a quarter more or less, three days in all; then the event is given up.
    static let waits: [Duration] = [
        .seconds(5), .seconds(300), .seconds(1800), .seconds(7200), .seconds(5 * 3600), .seconds(10 * 3600),
        .seconds(14 * 3600), .seconds(20 * 3600), .seconds(24 * 3600),
    ]

    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let secrets: EventSecrets
    let carrier: any EventCarrier
    let orderEvents: OrderEvents
    let observer: DeliveryObserver

    /// What a round did.
    package struct Round: Hashable, Sendable {
        package var delivered = 0
        package var postponed = 0
        package var givenUp = 0
        /// Why the last call failed.
        package var fault: String?

        package init() {}

        fileprivate mutating func add(_ other: Round) {
            delivered += other.delivered
            postponed += other.postponed
            givenUp += other.givenUp
            fault = other.fault ?? fault
        }
    }

    /// Sends all that is due.
    ///
    /// - Throws: `storageUnavailable`; what was not sent waits.
    package func callAsFunction() async throws(DomainError) -> Round {
        let (round, fault) = await run()
        if let fault { throw fault }
        return round
    }

    private func run() async -> (Round, DomainError?) {
        await withTaskGroup(of: (Identifier<EventEndpoint>, Result<Round, DomainError>).self) { group in
            var (total, fault) = (Round(), DomainError?.none)
            var busy: Set<Identifier<EventEndpoint>> = []
            // Who was served least comes first.
            var served: [Identifier<EventEndpoint>: Int] = [:]
            while true {
                if fault == nil {
                    switch await due() {
                    case .success(let endpoints):
                        let free = endpoints.filter { !busy.contains($0.id) }
                            .sorted { served[$0.id, default: 0] < served[$1.id, default: 0] }
                        for endpoint in free.prefix(max(0, Self.lanes - busy.count)) {
                            busy.insert(endpoint.id)
                            served[endpoint.id, default: 0] += 1
                            group.addTask { (endpoint.id, await serve(endpoint)) }
                        }
                    case .failure(let error): fault = error
                    }
                }
                guard let (id, result) = await group.next() else { return (total, fault) }
                busy.remove(id)
                switch result {
                case .success(let round): total.add(round)
                case .failure(let error): fault = error
                }
            }
        }
    }

    private func due() async -> Result<[EventEndpoint], DomainError> {
        do throws(DomainError) {
            try await orderEvents()
            let now = clock.now
            return .success(
                try await store.read { transaction throws(DomainError) in
                    try transaction.endpointsWithDueEvents(at: now, limit: Self.maximumEndpoints)
                })
        } catch {
            return .failure(error)
        }
    }

    /// Sends a few events to one endpoint, and notes how it went before more are taken.
    private func serve(_ endpoint: EventEndpoint) async -> Result<Round, DomainError> {
        do throws(DomainError) {
            let (now, claim) = (clock.now, Base64URL.text(of: randomness.bytes(12)))
            // One that fails is asked with one event at a time.
            let limit = endpoint.failures == 0 ? Self.batch : 1
            let claimed = try await store.write { transaction throws(DomainError) in
                try transaction.claimDeliveries(
                    of: endpoint, dueBy: now, limit: limit, lease: now + Self.lease, claim: claim)
            }
            return .success(try await send(claimed, to: endpoint, claim: claim))
        } catch {
            return .failure(error)
        }
    }

    private func send(
        _ claimed: [EventDelivery], to endpoint: EventEndpoint, claim: String
    ) async throws(DomainError) -> Round {
        let results = await withTaskGroup(of: Result<Sent, DomainError>.self) { group in
            for delivery in claimed { group.addTask { await send(delivery, to: endpoint, claim: claim) } }
            var results: [Result<Sent, DomainError>] = []
            for await result in group { results.append(result) }
            return results
        }
        var round = Round()
        defer { observer.note(round) }
        var (successes, failures) = (0, 0)
        for result in results {
            switch try result.get() {
            case .delivered:
                round.delivered += 1
                successes += 1
            case .nothing: break
            case .postponed(let reason):
                round.postponed += 1
                round.fault = reason
                failures += 1
            case .givenUp(let reason):
                round.givenUp += 1
                round.fault = reason
                failures += 1
            }
        }
        if failures > 0 || successes > 0 && endpoint.failures > 0 {
            let noted = endpoint.after(success: successes > 0, at: clock.now)
            try await store.write { transaction throws(DomainError) in try transaction.noteCall(of: noted) }
        }
        return round
    }

    /// What became of one delivery.
    private enum Sent: Sendable {
        case delivered
        /// The event is gone: it was older than the application keeps events.
        case nothing
        case postponed(String)
        case givenUp(String)
    }

    private func send(
        _ delivery: EventDelivery, to endpoint: EventEndpoint, claim: String
    ) async -> Result<Sent, DomainError> {
        do throws(DomainError) {
            let found = try await store.read { transaction throws(DomainError) -> (Event, User?)? in
                guard let event = try transaction.event(delivery.event, in: delivery.application) else { return nil }
                let user =
                    endpoint.includesUser && event.type != .erased
                    ? try transaction.user(event.user, in: delivery.application) : nil
                return (event, user)
            }
            guard let (event, user) = found else {
                try await finish(delivery, claim)
                return .success(.nothing)
            }
            switch await call(endpoint, about: event, user) {
            case .delivered:
                try await finish(delivery, claim)
                return .success(.delivered)
            case .failed(let reason): return .success(try await postpone(delivery, claim, reason))
            }
        } catch {
            return .failure(error)
        }
    }

    /// One call, without the queue.
    func call(_ endpoint: EventEndpoint, about event: Event, _ user: User?) async -> EventOutcome {
        do throws(DomainError) {
            return await carrier.deliver(
                EventRequest(
                    url: endpoint.url, event: event, user: user.map(EventUser.init(_:)),
                    secrets: try secrets.signing(endpoint, at: clock.now)))
        } catch {
            return .failed(reason: "the endpoint's secret was sealed under another key")
        }
    }

    private func finish(_ delivery: EventDelivery, _ claim: String) async throws(DomainError) {
        let now = clock.now
        try await store.write { transaction throws(DomainError) in
            _ = try transaction.finish(delivery, claim: claim, at: now)
        }
    }

    private func postpone(
        _ delivery: EventDelivery, _ claim: String, _ reason: String
    ) async throws(DomainError) -> Sent {
        let now = clock.now
        var later = delivery
        later.lastFault = reason
        if Self.waits.indices.contains(delivery.attempts - 1) {
            let wait = Self.waits[delivery.attempts - 1].wholeMilliseconds
            let chance = randomness.bytes(2).reduce(Int64(0)) { $0 << 8 | Int64(clamping: $1) }
            later.nextTryAt = now + .milliseconds(wait * 3 / 4 + wait / 2 * chance / 65_536)
        } else {
            later.nextTryAt = nil
            later.isGivenUp = true
        }
        let written = later
        try await store.write { transaction throws(DomainError) in
            try transaction.postpone(written, claim: claim, at: now)
        }
        return written.isGivenUp ? .givenUp(reason) : .postponed(reason)
    }
}
