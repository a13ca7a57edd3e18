import Domain
import Storage
import TestWorld

extension Contract {
    /// What waits for endpoints, and who sends it.
    static let eventDeliveryContracts = [
        Contract("hands out one event of a user at a time, and only its taker finishes it") { engine in
            let samples = Samples()
            let endpoint = samples.endpoint()
            let (now, lease) = (samples.now, samples.now + .seconds(60))
            let answers = try await engine.write { transaction throws(DomainError) -> [Bool] in
                try transaction.insert(endpoint)
                for (number, user) in ["hana", "hana", "taro"].enumerated() {
                    var event = samples.event(number, of: user)
                    event.position = Int64(number + 1)
                    try transaction.enqueue(samples.delivery(of: event, to: endpoint), at: now)
                    try transaction.enqueue(samples.delivery(of: event, to: endpoint), at: now)
                }
                func claim(_ name: String, at time: Timestamp) throws(DomainError) -> [EventDelivery] {
                    try transaction.claimDeliveries(
                        of: endpoint, dueBy: time, repetition: time, limit: 9, lease: lease, claim: name)
                }
                let first = try claim("a", at: now)
                let second = try claim("b", at: now)
                let due = try transaction.endpointsWithDueEvents(at: now, limit: 9)
                let foreign = try transaction.finish(samples.delivery(first[0], takenBy: "b"), at: now)
                let own = try transaction.finish(first[0], at: now)
                let next = try claim("c", at: now)
                var dead = next[0]
                (dead.nextTryAt, dead.isGivenUp, dead.lastFault) = (nil, true, "500")
                try transaction.postpone(dead, at: now)
                let given = try transaction.deliveries(
                    to: endpoint.id, in: samples.application, givenUp: true, limit: 9)
                try transaction.revive(dead, at: now)
                let revived = try claim("d", at: now)
                return [
                    first.map(\.position) == [1, 3], second.isEmpty, due.isEmpty, !foreign, own,
                    next.map(\.position) == [2], given.map(\.lastFault) == ["500"], revived.map(\.position) == [2],
                ]
            }
            try expectEqual(answers, [Bool](repeating: true, count: 8))
        },
        Contract("keeps what a node left behind until it may be repeated, and nothing that was postponed") { engine in
            let samples = Samples()
            let endpoint = samples.endpoint()
            let now = samples.now
            let lease = now + .seconds(60)
            let answers = try await engine.write { transaction throws(DomainError) -> [[Int64]] in
                try transaction.insert(endpoint)
                for (number, user) in ["hana", "taro", "yuki"].enumerated() {
                    var event = samples.event(number, of: user)
                    event.position = Int64(number + 1)
                    try transaction.enqueue(samples.delivery(of: event, to: endpoint), at: now)
                }
                func claim(
                    _ name: String, at time: Timestamp, repetition: Timestamp, limit: Int = 9
                ) throws(DomainError) -> [EventDelivery] {
                    try transaction.claimDeliveries(
                        of: endpoint, dueBy: time, repetition: repetition, limit: limit, lease: time + .seconds(60),
                        claim: name)
                }
                let dead = try claim("a", at: now, repetition: lease + .seconds(10), limit: 2)
                var failed = dead[1]
                failed.nextTryAt = lease
                try transaction.postpone(failed, at: now)
                let first = try claim("b", at: lease, repetition: lease + .seconds(10))
                let early = try claim("c", at: lease + .seconds(9), repetition: lease + .seconds(10))
                let due = try transaction.endpointsWithDueEvents(at: lease + .seconds(9), limit: 9)
                let late = try claim("d", at: lease + .seconds(10), repetition: lease + .seconds(10))
                return [dead, first, early, late].map { $0.map(\.position).sorted() } + [due.map { _ in 1 }]
            }
            try expectEqual(answers, [[1, 2], [2, 3], [], [1], []])
        },
        Contract("lets an event be due that would wait beyond an instant, or for long and untried, and no other") {
            engine in
            let samples = Samples()
            let endpoint = samples.endpoint()
            let (now, held) = (samples.now, samples.now + EventDelivery.holdingTime)
            let counts = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(endpoint)
                var (event, other) = (samples.event(1, of: "hana"), samples.event(2, of: "taro"))
                (event.position, other.position) = (1, 2)
                func claim(at time: Timestamp, until lease: Timestamp) throws(DomainError) -> [EventDelivery] {
                    try transaction.claimDeliveries(
                        of: endpoint, dueBy: time, repetition: time, limit: 9, lease: lease, claim: "a")
                }
                func due(beyond limit: Timestamp) throws(DomainError) -> Int {
                    // In parts.
                    while try transaction.shortenDeliveryWaits(beyond: limit, to: now, count: 1) == 1 {}
                    let claimed = try claim(at: now, until: now + .days(2))
                    return claimed.count
                }
                try transaction.enqueue(samples.delivery(of: event, to: endpoint), at: held)
                try transaction.enqueue(samples.delivery(of: other, to: endpoint), at: held + .milliseconds(1))
                let untried = [try due(beyond: now + .days(2)), try claim(at: held, until: now + .days(2)).count]
                let tried = [try due(beyond: now + .days(2)), try due(beyond: now + .days(1))]
                return untried + tried
            }
            try expectEqual(counts, [1, 1, 0, 2])
        },
        Contract("lets an event that was given up wait anew when it is enqueued again") { engine in
            let samples = Samples()
            let endpoint = samples.endpoint()
            let (now, lease) = (samples.now, samples.now + .seconds(60))
            let answers = try await engine.write { transaction throws(DomainError) -> [Bool] in
                try transaction.insert(endpoint)
                var (event, next) = (samples.event(1, of: "hana"), samples.event(2, of: "hana"))
                (event.position, next.position) = (1, 2)
                let delivery = samples.delivery(of: event, to: endpoint)
                func claim(_ name: String) throws(DomainError) -> [EventDelivery] {
                    try transaction.claimDeliveries(
                        of: endpoint, dueBy: now, repetition: now, limit: 9, lease: lease, claim: name)
                }
                func giveUp(_ claim: String) throws(DomainError) {
                    var dead = samples.delivery(delivery, takenBy: claim)
                    (dead.nextTryAt, dead.isGivenUp) = (nil, true)
                    try transaction.postpone(dead, at: now)
                }
                try transaction.enqueue(delivery, at: now)
                _ = try claim("a")
                // What is under way stays its taker's.
                try transaction.enqueue(delivery, at: now)
                let untouched = try claim("b")
                try giveUp("a")
                try transaction.enqueue(delivery, at: now)
                let again = try claim("c")
                try giveUp("c")
                try transaction.enqueue(samples.delivery(of: next, to: endpoint), at: now)
                try transaction.enqueue(delivery, at: now)
                // It waits behind the one that is due.
                let other = try claim("d")
                _ = try transaction.finish(
                    samples.delivery(samples.delivery(of: next, to: endpoint), takenBy: "d"), at: now)
                let last = try claim("e")
                let dead = try transaction.deliveries(
                    to: endpoint.id, in: samples.application, givenUp: true, limit: 9)
                return [
                    untouched.isEmpty, again.map(\.position) == [1], again.first?.attempts == 1,
                    other.map(\.position) == [2], last.map(\.position) == [1], dead.isEmpty,
                ]
            }
            try expectEqual(answers, [Bool](repeating: true, count: 6))
        },
        Contract("keeps an event of two users behind the earlier ones of both, and the later ones of both behind it") {
            engine in
            let samples = Samples()
            let endpoint = samples.endpoint()
            let now = samples.now
            let (soon, later) = (now + EventDelivery.holdingTime, now + EventDelivery.holdingTime * 2)
            let answers = try await engine.write { transaction throws(DomainError) -> [Bool] in
                try transaction.insert(endpoint)
                for (position, user, left) in [
                    (Int64(1), "guest", String?.none), (2, "hana", nil), (3, "hana", "guest"), (4, "guest", nil),
                    (5, "hana", nil),
                ] {
                    try transaction.enqueue(
                        samples.delivery(at: position, of: user, leaving: left, to: endpoint), at: now)
                }
                func claim(_ name: String, at time: Timestamp) throws(DomainError) -> [Int64] {
                    try transaction.claimDeliveries(
                        of: endpoint, dueBy: time, repetition: time, limit: 9, lease: now + .days(1), claim: name
                    ).map(\.position)
                }
                func finish(_ position: Int64, _ user: String, _ claim: String) throws(DomainError) {
                    let delivery = samples.delivery(at: position, of: user, to: endpoint)
                    _ = try transaction.finish(samples.delivery(delivery, takenBy: claim), at: now)
                }
                let first = try claim("a", at: now)
                try finish(2, "hana", "a")
                let held = try claim("b", at: now)
                try finish(1, "guest", "a")
                // The guest's next one waits for the merge, which is looked at again soon.
                let both = try claim("c", at: now)
                let merge = try claim("d", at: soon)
                try finish(3, "hana", "d")
                let last = try claim("e", at: later)
                return [first == [1, 2], held == [], both == [], merge == [3], Set(last) == [4, 5]]
            }
            try expectEqual(answers, [Bool](repeating: true, count: 5))
        },
        Contract("lets no two events of two users wait for each other, whatever a replay lets wait") { engine in
            let samples = Samples()
            let endpoint = samples.endpoint()
            let sent = try await engine.write { transaction throws(DomainError) -> [Int64] in
                try transaction.insert(endpoint)
                // The last one waited before a replay from the beginning.
                for (position, user, left) in [
                    (Int64(20), "hana", String?.none), (10, "hana", "guest"), (12, "taro", "hana"), (5, "guest", nil),
                ] {
                    try transaction.enqueue(
                        samples.delivery(at: position, of: user, leaving: left, to: endpoint), at: samples.now)
                }
                var (sent, time) = ([Int64](), samples.now)
                for round in 0..<20 {
                    let claimed = try transaction.claimDeliveries(
                        of: endpoint, dueBy: time, repetition: time, limit: 9, lease: time + .days(1), claim: "\(round)"
                    )
                    for delivery in claimed {
                        sent.append(delivery.position)
                        _ = try transaction.finish(delivery, at: time)
                    }
                    time = time + EventDelivery.holdingTime
                }
                return sent
            }
            try expectEqual(sent, [5, 10, 12, 20])
        },
        Contract("finds what waits for an endpoint or was given up, from a position on, of all or of one user") {
            engine in
            let samples = Samples()
            let endpoint = samples.endpoint()
            let (all, own) = try await engine.write { transaction throws(DomainError) -> ([Int64], [Int64]) in
                try transaction.insert(endpoint)
                for (position, user) in [(Int64(1), "hana"), (2, "taro"), (3, "hana"), (4, "hana")] {
                    try transaction.enqueue(samples.delivery(at: position, of: user, to: endpoint), at: samples.now)
                }
                for delivery in try transaction.claimDeliveries(
                    of: endpoint, dueBy: samples.now, repetition: samples.now, limit: 9, lease: samples.now, claim: "a")
                {
                    var dead = delivery
                    (dead.nextTryAt, dead.isGivenUp) = (nil, true)
                    try transaction.postpone(dead, at: samples.now)
                }
                let (id, application) = (endpoint.id, samples.application)
                return (
                    try transaction.deliveries(to: id, in: application, from: 2, limit: 2).map(\.position),
                    try transaction.deliveries(
                        of: .init(rawValue: "hana"), to: id, in: application, from: 1, limit: 9
                    ).map(\.position)
                )
            }
            try expectEqual(all, [2, 3])
            try expectEqual(own, [1, 3, 4])
        },
        Contract("sends each event once and in order when five nodes send at once") { engine in
            let receiver = TestEventReceiver()
            let world = try TestWorld(engine, events: receiver)
            let application = try await world.makeApplication()
            _ = try await world.modules.events.endpoints.create(
                .init(url: "https://app.example.com"), in: application.id, by: .local)
            for number in 0..<20 {
                let event = Event(
                    id: world.randomness.newIdentifier(at: world.clock.now), application: application.id,
                    type: .userMerged, user: Identifier(rawValue: "user\(number % 4)"), at: world.clock.now,
                    details: ["number": String(number)])
                try await engine.write { transaction throws(DomainError) in try transaction.insert(event) }
            }
            _ = try await together(5) { _ in try await world.modules.events.deliverEvents() }
            _ = try await world.modules.events.deliverEvents()
            try expectEqual(receiver.calls, 20)
            for user in 0..<4 {
                let numbers = receiver.delivered.filter { $0.event.user.rawValue == "user\(user)" }
                    .compactMap { $0.event.details["number"] }
                try expectEqual(numbers, (0..<5).map { String($0 * 4 + user) })
            }
        },
    ]
}
