/// Sends the events that are due to the endpoints of all applications. The server calls it when events were written and every
/// few seconds; several calls at once, and several nodes, share the work.
///
/// Each event is sent at least once, also when nodes die: a node takes it for a while (`lease`), and what a dead one had taken
/// is sent again by one that has been there for `settlingTime`. Events of one user go to an
/// endpoint one after the other. What waits stays in the database: memory holds a few events for each endpoint.
package struct DeliverEvents: Sendable {
    /// Longer than a call may take.
    static let lease: Duration = .seconds(120)
    /// How long a process has to be there before it repeats what another one, or itself before it was killed, had begun to send:
    /// a server that dies soon after each start sends nothing again and again.
    static let settlingTime: Duration = .seconds(10)
    /// Events of different users that are sent to one endpoint side by side.
    static let batch = 8
    /// Endpoints that are served side by side: one that takes its time holds up nobody else. An application has eight of them at the
    /// most, and fewer the more others have: nine whose receivers hang leave one to a tenth.
    static let lanes = 32
    private static let maximumEndpoints = 1000
    /// How long a receiver can ask to be left alone (`Retry-After`).
    static let longestRetryAfter = EventEndpoint.longestRest
    /// Three days in all; then the event is given up.
    static let retries = RetrySchedule(
        .seconds(5), .seconds(300), .seconds(1800), .seconds(7200), .seconds(5 * 3600), .seconds(10 * 3600),
        .seconds(14 * 3600), .seconds(20 * 3600), .seconds(24 * 3600))

    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let secrets: EventSecrets
    let carrier: any EventCarrier
    let orderEvents: OrderEvents
    let audit: AuditTrail
    /// Gets each part of a round, as a round may take long.
    let observer: Observer<Round>
    /// When this process begins to repeat what may have arrived.
    let repetition: Timestamp

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
    /// - Parameter goesOn: Whether more is to be begun, asked after each part. Calls that are under way end before this returns.
    /// - Returns: what was done.
    /// - Throws: `storageUnavailable`; what was not sent waits.
    package func callAsFunction(
        while goesOn: @Sendable () -> Bool = { true }
    ) async throws(DomainError) -> Round {
        let (round, fault) = await run(while: goesOn)
        if let fault { throw fault }
        return round
    }

    /// What ended of the work of a call.
    private enum Step: Sendable {
        /// Events got positions; whether there may be more.
        case ordered(Result<Bool, DomainError>)
        case served(Identifier<EventEndpoint>, Result<Round, DomainError>)
        /// Events were written, or the round has ended.
        case signalled(hasRung: Bool)
    }

    /// What a call has done, and what of it is under way.
    private struct Work {
        private(set) var total = Round()
        private(set) var fault: DomainError?
        private var lanes = Lanes(DeliverEvents.lanes, share: .thirdOfFree)
        /// Endpoints that are served now.
        private var busy: [Identifier<EventEndpoint>: Identifier<Application>] = [:]
        /// How often each was served.
        private var served: [Identifier<EventEndpoint>: Int] = [:]
        private var isOrdering = true
        private var hasRung = false

        var isOver: Bool { !isOrdering && busy.isEmpty }

        /// Begins to serve endpoints with due events, as many as there is room for. Who was served least comes first.
        mutating func begin(_ due: Result<[EventEndpoint], DomainError>) -> [EventEndpoint] {
            guard case .success(let endpoints) = due else {
                if case .failure(let error) = due { fault = error }
                return []
            }
            let free = endpoints.filter { busy[$0.id] == nil }
                .sorted { served[$0.id, default: 0] < served[$1.id, default: 0] }
            var begun: [EventEndpoint] = []
            for endpoint in free where lanes.take(for: endpoint.application) {
                busy[endpoint.id] = endpoint.application
                served[endpoint.id, default: 0] += 1
                begun.append(endpoint)
            }
            return begun
        }

        /// Notes what ended.
        ///
        /// - Returns: whether there may be more events to give positions to.
        mutating func end(_ step: Step) -> Bool {
            switch step {
            case .ordered(.success(let isMore)):
                isOrdering = false
                return isMore
            case .ordered(.failure(let error)): (isOrdering, fault) = (false, error)
            case .served(let id, let result):
                if let application = busy.removeValue(forKey: id) { lanes.leave(application) }
                switch result {
                case .success(let round): total.add(round)
                case .failure(let error): fault = error
                }
            case .signalled(let isRing):
                if isRing { hasRung = true }
                return isRing
            }
            return true
        }

        /// Whether events are to be given positions, where there may be more of them or a signal has come.
        func mayOrder(ifMore isMore: Bool) -> Bool { fault == nil && !isOrdering && (isMore || hasRung) }

        mutating func beginOrdering() { (isOrdering, hasRung) = (true, false) }
    }

    private func run(while goesOn: @Sendable () -> Bool) async -> (Round, DomainError?) {
        // A call may take its time: what is written meanwhile does not wait for the end of one.
        let rings = orderEvents.signal.rings()
        return await withTaskGroup(of: Step.self) { group in
            var work = Work()
            // Positions are given beside the sending, so that neither waits for very much of the other.
            group.addTask { .ordered(await order()) }
            group.addTask { await Self.next(of: rings) }
            while true {
                if work.fault == nil, goesOn() {
                    let endpoints = await due()
                    for endpoint in work.begin(endpoints) {
                        group.addTask { .served(endpoint.id, await serve(endpoint)) }
                    }
                }
                guard !work.isOver, let step = await group.next() else {
                    group.cancelAll()
                    return (work.total, work.fault)
                }
                let isMore = work.end(step)
                if case .signalled(hasRung: true) = step { group.addTask { await Self.next(of: rings) } }
                if work.mayOrder(ifMore: isMore), goesOn() {
                    work.beginOrdering()
                    group.addTask { .ordered(await order()) }
                }
            }
        }
    }

    private static func next(of rings: AsyncStream<Void>) async -> Step {
        for await _ in rings { return .signalled(hasRung: true) }
        return .signalled(hasRung: false)
    }

    private func order() async -> Result<Bool, DomainError> {
        do throws(DomainError) { return .success(try await orderEvents()) } catch { return .failure(error) }
    }

    private func due() async -> Result<[EventEndpoint], DomainError> {
        do throws(DomainError) {
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
                    of: endpoint, dueBy: now, repetition: repetition, limit: limit, lease: now + Self.lease,
                    claim: claim)
            }
            return .success(try await send(claimed, to: endpoint))
        } catch {
            return .failure(error)
        }
    }

    private func send(
        _ claimed: [EventDelivery], to endpoint: EventEndpoint
    ) async throws(DomainError) -> Round {
        let results = await withTaskGroup(of: Result<Sent, DomainError>.self) { group in
            for delivery in claimed { group.addTask { await send(delivery, to: endpoint) } }
            var results: [Result<Sent, DomainError>] = []
            for await result in group { results.append(result) }
            return results
        }
        var round = Round()
        defer { observer.note(round) }
        var (successes, failures, longestWait) = (0, 0, Duration.zero)
        for result in results {
            switch try result.get() {
            case .delivered:
                round.delivered += 1
                successes += 1
            case .nothing: break
            case .endpointGone(let reason):
                round.postponed += 1
                round.fault = reason
            case .postponed(let reason, let wait):
                round.postponed += 1
                round.fault = reason
                failures += 1
                longestWait = max(longestWait, wait)
            case .givenUp(let reason, let wait):
                round.givenUp += 1
                round.fault = reason
                failures += 1
                longestWait = max(longestWait, wait)
            }
        }
        if failures > 0 || successes > 0 && endpoint.failures > 0 {
            let now = clock.now
            var after = endpoint.after(success: successes > 0, at: now)
            after.resumesAt = max(after.resumesAt, now + longestWait)
            let noted = after
            try await store.write { transaction throws(DomainError) in
                // What the address of before answered says nothing of one that an operator has set meanwhile.
                let known = try transaction.eventEndpoint(noted.id, in: noted.application)
                if known?.url == noted.url { try transaction.noteCall(of: noted) }
            }
        }
        return round
    }

    /// What became of one delivery.
    private enum Sent: Sendable {
        case delivered
        /// The event is gone: it was older than the application keeps events.
        case nothing
        /// The receiver wants no more; its endpoint is switched off.
        case endpointGone(String)
        /// Why, and how long the receiver asks to be left alone.
        case postponed(String, Duration)
        case givenUp(String, Duration)
    }

    private func send(
        _ delivery: EventDelivery, to endpoint: EventEndpoint
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
                try await finish(delivery)
                return .success(.nothing)
            }
            let outcome = await call(endpoint, about: event, user)
            switch outcome {
            case .delivered:
                try await finish(delivery)
                return .success(.delivered)
            case .gone: return .success(try await switchOff(endpoint, delivery, outcome.fault ?? ""))
            case .failed(let reason, let asked):
                let wait = min(max(asked ?? .zero, .zero), Self.longestRetryAfter)
                return .success(try await postpone(delivery, reason, atLeast: wait))
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
            return .failed(reason: DeliveryFault.text(.endpointKeyUnknown))
        }
    }

    private func finish(_ delivery: EventDelivery) async throws(DomainError) {
        let now = clock.now
        try await store.write { transaction throws(DomainError) in
            _ = try transaction.finish(delivery, at: now)
        }
    }

    /// Pauses an endpoint whose receiver wants no more, unless an operator has moved it meanwhile. The event waits.
    private func switchOff(
        _ endpoint: EventEndpoint, _ delivery: EventDelivery, _ reason: String
    ) async throws(DomainError) -> Sent {
        let (now, application) = (clock.now, endpoint.application)
        let entry = audit.draft(.settingsChanged, by: .server, in: application, from: .local)
        var later = delivery
        (later.nextTryAt, later.lastFault) = (now, reason)
        let waiting = later
        try await store.write { transaction throws(DomainError) in
            try transaction.postpone(waiting, at: now)
            guard var known = try transaction.eventEndpoint(endpoint.id, in: application), known.url == endpoint.url,
                !known.isPaused
            else { return }
            (known.isPaused, known.goneAt) = (true, now)
            try transaction.update(known)
            try entry.record(
                on: .application(application),
                details: ["event-endpoint": endpoint.id.rawValue, "change": "switched-off", "status": "410"],
                in: transaction)
        }
        return .endpointGone(reason)
    }

    private func postpone(
        _ delivery: EventDelivery, _ reason: String, atLeast asked: Duration
    ) async throws(DomainError) -> Sent {
        let now = clock.now
        var later = delivery
        later.lastFault = reason
        if let wait = Self.retries.wait(after: delivery.attempts, by: randomness) {
            later.nextTryAt = now + max(asked, wait)
        } else {
            later.nextTryAt = nil
            later.isGivenUp = true
        }
        let written = later
        try await store.write { transaction throws(DomainError) in
            try transaction.postpone(written, at: now)
        }
        return written.isGivenUp ? .givenUp(reason, asked) : .postponed(reason, asked)
    }
}
