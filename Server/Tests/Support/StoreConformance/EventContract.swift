import Domain
import Storage
import TestWorld

extension Samples {
    func event(_ number: Int, of user: String, leaving left: String? = "left") -> Event {
        Event(
            id: randomness.newIdentifier(at: now + .milliseconds(number)), application: application, type: .userMerged,
            user: Identifier(rawValue: user), leftUser: left.map { Identifier(rawValue: $0) }, at: now,
            details: ["number": String(number)])
    }

    func delivery(
        at position: Int64, of user: String, leaving left: String? = nil, to endpoint: EventEndpoint
    ) -> EventDelivery {
        var delivery = EventDelivery(
            application: application, endpoint: endpoint.id, event: Identifier(rawValue: "event\(position)"),
            user: Identifier(rawValue: user), position: position, nextTryAt: now)
        delivery.leftUser = left.map { Identifier(rawValue: $0) }
        return delivery
    }

    /// As somebody would give it back who took it by a claim.
    func delivery(_ delivery: EventDelivery, takenBy claim: String) -> EventDelivery {
        var taken = delivery
        taken.claim = claim
        return taken
    }

    func delivery(of event: Event, to endpoint: EventEndpoint) -> EventDelivery {
        EventDelivery(
            application: application, endpoint: endpoint.id, event: event.id, user: event.user,
            position: event.position ?? 0, nextTryAt: now)
    }

    func endpoint(_ name: String = "one") -> EventEndpoint {
        EventEndpoint(
            id: Identifier(rawValue: name), application: application, url: "https://\(name).example.com",
            types: [.userMerged], createdAt: now, sealedSecret: [1, 2])
    }
}

extension Contract {
    static let eventContracts = [
        Contract("orders the events of a user as they were written, whatever their ids say") { engine in
            let samples = Samples()
            // The second one was begun first.
            let events = [samples.event(9, of: "hana"), samples.event(1, of: "hana"), samples.event(5, of: "taro")]
            for event in events {
                try await engine.write { transaction throws(DomainError) in try transaction.insert(event) }
            }
            let found = try await engine.read { transaction throws(DomainError) in
                try transaction.unorderedEvents(in: samples.application, limit: 9)
            }
            let turns = try await engine.read { transaction throws(DomainError) in
                [
                    try transaction.applicationWithUnorderedEvents(after: nil),
                    try transaction.applicationWithUnorderedEvents(after: samples.application),
                ]
            }
            try expectEqual(turns, [samples.application, nil])
            try expectEqual(found.filter { $0.user.rawValue == "hana" }.map(\.id), [events[0].id, events[1].id])
            // A user's time line has the last one first.
            let newest = try await engine.read { transaction throws(DomainError) in
                try [1, 9].map { limit throws(DomainError) in
                    try transaction.events(of: events[0].user, in: samples.application, limit: limit).map(\.id)
                }
            }
            try expectEqual(newest, [[events[1].id], [events[1].id, events[0].id]])
            try expectEqual(found.count, 3)
        },
        Contract("reads events behind a position, and removes old ones with what waits of them") { engine in
            let samples = Samples()
            let endpoint = samples.endpoint()
            let application = samples.application
            let (read, removed, left, waiting) = try await engine.write { transaction throws(DomainError) in
                try transaction.insert(endpoint)
                for number in 1...3 {
                    var event = samples.event(number, of: "hana")
                    try transaction.insert(event)
                    event.position = Int64(number)
                    try transaction.writePosition(of: event)
                    try transaction.enqueue(samples.delivery(of: event, to: endpoint), at: samples.now)
                }
                try transaction.setLastEventPosition(3, in: application)
                let read = try transaction.events(in: application, after: 1, limit: 1)
                let removed = try transaction.removeEvents(
                    in: application, before: samples.now + .milliseconds(1), count: 2)
                return (
                    read, removed, try transaction.events(in: application, after: 0, limit: 9).count,
                    try transaction.claimDeliveries(
                        of: endpoint, dueBy: samples.now + .seconds(1), repetition: samples.now, limit: 9,
                        lease: samples.now + .days(1), claim: "a"
                    ).map(\.position)
                )
            }
            try expectEqual(read.map(\.position), [2])
            try expectEqual(removed, 2)
            try expectEqual(left, 1)
            // The last one of the user waited behind those that are gone.
            try expectEqual(waiting, [3])
            let newest = try await engine.read { transaction throws(DomainError) in
                try transaction.newestEvents(in: application, limit: 9)
            }
            try expectEqual(newest.map(\.position), [3])
            let id = read.first?.id ?? Identifier(rawValue: "")
            let gone = try await engine.read { transaction throws(DomainError) in
                try transaction.event(id, in: application)
            }
            try expectEqual(gone, nil)
            let last = try await engine.read { transaction throws(DomainError) in
                (
                    try transaction.lastEventPosition(in: application),
                    try transaction.lastEventPosition(in: samples.otherApplication)
                )
            }
            try expectEqual([last.0, last.1], [3, 0])
        },
        Contract("counts what waits of events and what was given up, and finds the oldest one without a position") {
            engine in
            let samples = Samples()
            let endpoint = samples.endpoint()
            func backlog(_ limit: Int) async throws -> EventBacklog {
                try await engine.read { transaction throws(DomainError) in try transaction.eventBacklog(limit: limit) }
            }
            try expectEqual(try await backlog(9), EventBacklog())
            try await engine.write { transaction throws(DomainError) in
                try transaction.insert(endpoint)
                for number in 1...4 {
                    var event = samples.event(number, of: "user \(number)")
                    event.position = Int64(number)
                    try transaction.enqueue(samples.delivery(of: event, to: endpoint), at: samples.now)
                }
                let claimed = try transaction.claimDeliveries(
                    of: endpoint, dueBy: samples.now, repetition: samples.now, limit: 1,
                    lease: samples.now + .seconds(60), claim: "a")
                for var dead in claimed {
                    (dead.nextTryAt, dead.isGivenUp) = (nil, true)
                    try transaction.postpone(dead, at: samples.now)
                }
                for (number, age) in [(5, 30), (6, 90), (7, 60)] as [(Int, Int64)] {
                    try transaction.insert(
                        Event(
                            id: Identifier(rawValue: "event \(number)"), application: samples.application,
                            type: .userMerged, user: Identifier(rawValue: "user \(number)"),
                            at: samples.now - .seconds(age)))
                }
            }
            try expectEqual(
                try await backlog(9),
                EventBacklog(waiting: 3, givenUp: 1, unorderedSince: samples.now - .seconds(90)))
            let bounded = try await backlog(2)
            try expectEqual(bounded.waiting + bounded.givenUp, 2)
        },
        Contract("orders an event of two users behind all that both have done before") { engine in
            let samples = Samples()
            let (guest, hana) = ("guest", "hana")
            for (number, user, left) in [
                (9, guest, String?.none), (8, guest, nil), (7, guest, nil), (6, hana, guest), (5, guest, nil),
            ] {
                let event = samples.event(number, of: user, leaving: left)
                try await engine.write { transaction throws(DomainError) in try transaction.insert(event) }
            }
            let found = try await engine.read { transaction throws(DomainError) in
                try transaction.unorderedEvents(in: samples.application, limit: 9)
            }
            try expectEqual(found.compactMap { $0.details["number"] }, ["9", "8", "7", "6", "5"])
        },
        Contract("asks an endpoint that is held up for longer than any is: the clock was set back") { engine in
            let samples = Samples()
            let now = samples.now
            let rests = [("held", EventEndpoint.longestRest), ("asked", EventEndpoint.longestRest + .milliseconds(1))]
            let due = try await engine.write { transaction throws(DomainError) in
                for (name, rest) in rests {
                    var endpoint = samples.endpoint(name)
                    endpoint.resumesAt = now + rest
                    try transaction.insert(endpoint)
                    var event = samples.event(1, of: "hana")
                    event.position = 1
                    try transaction.enqueue(samples.delivery(of: event, to: endpoint), at: now)
                }
                return try transaction.endpointsWithDueEvents(at: now, limit: 9).map(\.id.rawValue)
            }
            try expectEqual(due, ["asked"])
        },
        Contract("keeps endpoints, and asks none that is paused or held up") { engine in
            let samples = Samples()
            let now = samples.now
            var (paused, failing) = (samples.endpoint("paused"), samples.endpoint("failing"))
            paused.isPaused = true
            failing.resumesAt = now + .seconds(5)
            let (quiet, slow) = (paused, failing)
            let (all, early, late, gone, changed) = try await engine.write { transaction throws(DomainError) in
                for endpoint in [quiet, slow] {
                    try transaction.insert(endpoint)
                    var event = samples.event(1, of: "hana")
                    event.position = 1
                    try transaction.enqueue(samples.delivery(of: event, to: endpoint), at: now)
                }
                let all = try transaction.eventEndpoints(in: samples.application)
                let early = try transaction.endpointsWithDueEvents(at: now, limit: 9)
                let late = try transaction.endpointsWithDueEvents(at: now + .seconds(5), limit: 9)
                try transaction.remove(slow)
                let removed = try transaction.removeDeliveries(toRemovedEndpointsOf: samples.application, count: 9)
                var noted = quiet
                (noted.url, noted.failures, noted.resumesAt) = ("https://new.example.com", 3, now + .seconds(9))
                (noted.sealedFormer, noted.formerUntil, noted.goneAt) = ([3], now + .days(1), now)
                try transaction.update(noted)
                let unnoted = try transaction.eventEndpoint(noted.id, in: samples.application)?.failures
                try transaction.noteCall(of: noted)
                let own = try transaction.eventEndpoint(noted.id, in: samples.application)
                let foreign = try transaction.eventEndpoint(noted.id, in: samples.otherApplication)
                let isChanged = removed == 1 && unnoted == 0 && own == noted && foreign == nil
                return (
                    all, early, late,
                    try transaction.deliveries(to: slow.id, in: samples.application, givenUp: false, limit: 9),
                    isChanged
                )
            }
            try expectEqual(Set(all.map(\.id)), [quiet.id, slow.id])
            try expectEqual(early, [])
            try expectEqual(late, [slow])
            try expectEqual(gone, [])
            try expect(changed, "an endpoint was not written whole")
        },
        Contract("removes what waits for endpoints that there are no more, in parts, and nothing else") { engine in
            let samples = Samples()
            let counts = try await engine.write { transaction throws(DomainError) -> [Int] in
                // Its neighbours in the order of the index stay.
                for name in ["a", "b", "c"] {
                    let endpoint = samples.endpoint(name)
                    try transaction.insert(endpoint)
                    for number in 1...3 {
                        var event = samples.event(number, of: "hana")
                        event.position = Int64(number)
                        try transaction.enqueue(samples.delivery(of: event, to: endpoint), at: samples.now)
                    }
                }
                func remove(in application: Identifier<Application>) throws(DomainError) -> Int {
                    try transaction.removeDeliveries(toRemovedEndpointsOf: application, count: 2)
                }
                let before = try remove(in: samples.application)
                try transaction.remove(samples.endpoint("b"))
                var counts = [before, try remove(in: samples.otherApplication)]
                for _ in 0..<3 { counts.append(try remove(in: samples.application)) }
                for name in ["a", "b", "c"] {
                    counts.append(
                        try transaction.deliveries(
                            to: samples.endpoint(name).id, in: samples.application, givenUp: false, limit: 9
                        ).count)
                }
                return counts
            }
            try expectEqual(counts, [0, 0, 2, 1, 0, 3, 0, 3])
        },
    ]
}
