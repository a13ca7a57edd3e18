import Domain
import StorageSQLite
import TestWorld
import Testing

@Suite("Delivery of events")
struct EventDeliveryTests {
    static let url = "https://app.example.com/hooks"

    let world: TestWorld
    let receiver = TestEventReceiver()
    let application: Application

    init() async throws {
        world = try TestWorld(SQLiteStore(.memory, role: .server), events: receiver)
        application = try await world.makeApplication()
    }

    private var endpoints: ManageEventEndpoints { world.modules.events.endpoints }

    private func endpoint(
        _ url: String = url, types: [EventType] = [], includesUser: Bool = false
    ) async throws -> EventEndpoint {
        try await endpoints.create(
            .init(url: url, types: types, includesUser: includesUser), in: application.id, by: .local
        ).endpoint
    }

    /// To the application as it is now: requests read its settings anew.
    private func signUp(_ name: String) async throws -> LogIn {
        try await world.signUp(name, to: try await world.modules.applications.findApplication(application.id))
    }

    private func deliver() async throws -> DeliverEvents.Round { try await world.modules.events.deliverEvents() }

    @Test("begins with the first endpoint and ends with the last")
    func listening() async throws {
        _ = try await signUp("before")
        let endpoint = try await endpoint()
        _ = try await signUp("hana")
        #expect(try await deliver().delivered == receiver.delivered.count)
        #expect(receiver.delivered.map(\.event.type.rawValue) == ["user.created", "user.logged-in"])
        try await endpoints.remove(endpoint.id, in: application.id, by: .local)
        _ = try await signUp("after")
        #expect(try await deliver() == DeliverEvents.Round())
        let settings = try await world.modules.applications.findApplication(application.id).settings
        #expect(!settings.events.isRecorded)
    }

    @Test("is sent no more once its endpoint is removed, and goes in parts behind which nobody waits for long")
    func removedEndpoint() async throws {
        let endpoint = try await endpoint().id
        let (id, now) = (application.id, world.clock.now)
        try await world.engine.write { transaction throws(DomainError) in
            for number in 1...2500 {
                let delivery = EventDelivery(
                    application: id, endpoint: endpoint, event: Identifier(rawValue: "event \(number)"),
                    user: Identifier(rawValue: "user \(number)"), position: Int64(number), nextTryAt: now)
                try transaction.enqueue(delivery, at: now)
            }
        }
        func left() async throws -> Int {
            try await world.engine.read { transaction throws(DomainError) in
                try transaction.deliveries(to: endpoint, in: id, givenUp: false, limit: 5000).count
            }
        }
        try await endpoints.remove(endpoint, in: id, by: .local)
        #expect(try await left() == 1500)
        #expect(try await deliver() == DeliverEvents.Round())
        try await world.modules.sessions.purgeExpired()
        #expect(try await left() == 0)
    }

    @Test("goes to the endpoints that take the type, with the user where that is wanted")
    func filters() async throws {
        _ = try await endpoint("https://a.example.com", types: [.loggedIn], includesUser: true)
        _ = try await endpoint("https://b.example.com", types: [.userCreated])
        _ = try await signUp("hana")
        _ = try await deliver()
        let (a, b) = (
            receiver.delivered.filter { $0.url == "https://a.example.com" },
            receiver.delivered.filter { $0.url == "https://b.example.com" }
        )
        #expect(a.map(\.event.type) == [.loggedIn] && a.first?.user?.username == "hana")
        #expect(b.map(\.event.type) == [.userCreated] && b.first?.user == nil)
    }

    @Test("tries again for days, in order, then gives the event up and goes on; a replay sends it again")
    func failing() async throws {
        let endpoint = try await endpoint()
        receiver.fail(Self.url, "the receiver answered 500")
        _ = try await signUp("hana")
        var rounds = 0
        while rounds < 200, try await givenUp(endpoint).isEmpty {
            _ = try await deliver()
            world.clock.advance(by: .seconds(3600))
            rounds += 1
        }
        // Three days, by the hour, with no more than one of the user's events under way.
        #expect((50...110).contains(rounds), "\(rounds)")
        #expect(receiver.calls == 10)
        #expect(try await givenUp(endpoint).map(\.lastFault) == ["the receiver answered 500"])
        receiver.fail(Self.url, nil)
        world.clock.advance(by: .seconds(600))
        #expect(try await deliver().delivered == 1)
        #expect(receiver.delivered.map(\.event.type) == [.loggedIn])
        let count = try await world.modules.events.replayEvents(givenUpOf: endpoint.id, in: application.id, by: .local)
        #expect(count == 1)
        #expect(try await deliver().delivered == 1)
        #expect(receiver.delivered.last?.event.type == .userCreated)
        #expect(
            try await world.modules.events.replayEvents(after: 0, to: endpoint.id, in: application.id, by: .local) == 2)
        #expect(try await deliver().delivered == 2)
    }

    /// Issue 24: such a replay counted what was given up, and did not send it.
    @Test("sends what was given up again by a replay from a position too")
    func replayOfGivenUp() async throws {
        let endpoint = try await endpoint()
        receiver.fail(Self.url, "the receiver answered 500")
        _ = try await signUp("hana")
        for _ in 0..<200 where try await givenUp(endpoint).isEmpty {
            _ = try await deliver()
            world.clock.advance(by: .seconds(3600))
        }
        receiver.fail(Self.url, nil)
        world.clock.advance(by: .seconds(600))
        _ = try await deliver()
        #expect(receiver.delivered.map(\.event.type) == [.loggedIn])
        #expect(
            try await world.modules.events.replayEvents(after: 0, to: endpoint.id, in: application.id, by: .local) == 2)
        #expect(try await givenUp(endpoint).isEmpty)
        #expect(try await deliver().delivered == 2)
        #expect(receiver.delivered.suffix(2).map(\.event.type) == [.userCreated, .loggedIn])
    }

    @Test(
        "is repeated as a whole by a replay, of a position and of what was given up, whether or not it fills transactions",
        arguments: [1, 199, 200, 201, 400])
    func replayedCrowd(count: Int) async throws {
        let endpoint = try await endpoint()
        let (id, now) = (application.id, world.clock.now)
        try await world.engine.write { transaction throws(DomainError) in
            for number in 0..<count {
                try transaction.insert(
                    Event(
                        id: Identifier(rawValue: "e\(1000 + number)"), application: id, type: .loggedIn,
                        user: Identifier(rawValue: "u\(number)"), at: now))
            }
        }
        #expect(try await deliver().delivered == count)
        let replay = world.modules.events.replayEvents
        #expect(try await replay(after: 0, to: endpoint.id, in: id, by: .local) == count)
        // None of them arrives, this time.
        try await world.engine.write { transaction throws(DomainError) in
            for delivery in try transaction.claimDeliveries(
                of: endpoint, dueBy: now, repetition: now, limit: count, lease: now + .seconds(5), claim: "test")
            {
                var dead = delivery
                (dead.isGivenUp, dead.nextTryAt) = (true, nil)
                try transaction.postpone(dead, at: now)
            }
        }
        #expect(try await deliver() == DeliverEvents.Round())
        #expect(try await replay(givenUpOf: endpoint.id, in: id, by: .local) == count)
        #expect(try await deliver().delivered == count)
        #expect(receiver.calls == 2 * count)
    }

    private func givenUp(_ endpoint: EventEndpoint) async throws -> [EventDelivery] {
        try await world.modules.events.listDeliveries(
            to: endpoint.id, in: application.id, givenUp: true, limit: 10
        ).map(\.delivery)
    }

    @Test("is noted at its endpoint when a call fails, and when the next one succeeds, and costs no writing else")
    func noted() async throws {
        let made = try await endpoint()
        func known() async throws -> EventEndpoint { try #require(try await endpoints.list(in: application.id).first) }
        _ = try await signUp("hana")
        world.clock.advance(by: .seconds(1))
        #expect(try await deliver().delivered == 2)
        #expect(try await known() == made)
        receiver.fail(Self.url, "the receiver answered 500")
        _ = try await signUp("mika")
        #expect(try await deliver().postponed == 1)
        #expect(try await known().failures == 1)
        receiver.fail(Self.url, nil)
        world.clock.advance(by: .seconds(3600))
        #expect(try await deliver().delivered == 2)
        let after = try await known()
        #expect(after.failures == 0 && after.resumesAt == world.clock.now)
    }

    @Test("asks a receiver that is down now and then, and holds up no other endpoint")
    func brake() async throws {
        let other = "https://other.example.com"
        _ = try await endpoint()
        _ = try await endpoint(other)
        receiver.fail(Self.url, "the receiver cannot be reached, or took too long")
        for number in 0..<40 { _ = try await signUp("user\(number)") }
        _ = try await deliver()
        #expect(receiver.delivered.count == 80 && receiver.delivered.allSatisfy { $0.url == other })
        #expect(receiver.calls - 80 < 20, "\(receiver.calls)")
        receiver.fail(Self.url, nil)
        world.clock.advance(by: .seconds(600))
        _ = try await deliver()
        #expect(receiver.delivered.count == 160)
    }

    @Test(
        "ends for an endpoint whose receiver is gone, which the audit log tells, and goes on when it is switched on again"
    )
    func gone() async throws {
        let endpoint = try await endpoint()
        receiver.respond(Self.url, .gone)
        _ = try await signUp("hana")
        let round = try await deliver()
        #expect(round.delivered == 0 && round.fault == "the receiver answered 410")
        let off = try #require(try await endpoints.list(in: application.id).first)
        #expect(off.isPaused && off.goneAt == world.clock.now && off.failures == 0)
        let entries = try await world.modules.administration.audit.list(in: application.id, limit: 10)
        let entry = try #require(entries.first { $0.details["change"] == "switched-off" })
        #expect(entry.actor == .server && entry.details["event-endpoint"] == endpoint.id.rawValue)
        world.clock.advance(by: .days(1))
        _ = try await deliver()
        #expect(receiver.calls == 1)
        receiver.respond(Self.url, nil)
        let on = try await pause(endpoint, false)
        #expect(on.goneAt == nil)
        #expect(try await deliver().delivered == 2)
    }

    @Test(
        "leaves a receiver alone for as long as it asks, an hour at the most",
        arguments: [(Int64(60), Int64(60)), (1800, 1800), (86_400, 3600)])
    func retryAfter(asked: Int64, waited: Int64) async throws {
        _ = try await endpoint()
        receiver.respond(Self.url, .failed(reason: "the receiver answered 429", retryAfter: .seconds(asked)))
        for name in ["hana", "taro"] { _ = try await signUp(name) }
        _ = try await deliver()
        let calls = receiver.calls
        receiver.respond(Self.url, nil)
        world.clock.advance(by: .seconds(waited - 1))
        _ = try await deliver()
        // Not those that were never tried either.
        #expect(receiver.calls == calls)
        world.clock.advance(by: .seconds(1))
        _ = try await deliver()
        #expect(receiver.delivered.count == 4)
    }

    private func pause(_ endpoint: EventEndpoint, _ isPaused: Bool) async throws -> EventEndpoint {
        try await endpoints.change(
            endpoint.id, in: application.id, by: .local, requiring: { _ in }, { $0.isPaused = isPaused })
    }

    @Test("goes to an endpoint as it was, when the action of what it would become is refused")
    func requiredAction() async throws {
        let endpoint = try await endpoint()
        let refusal = await world.refusal {
            _ = try await endpoints.change(
                endpoint.id, in: application.id, by: .local,
                requiring: { action throws(DomainError) in
                    if action == .includeUsersInEvents { throw .reauthenticationRequired }
                },
                { $0.includesUser = true })
        }
        #expect(refusal == .reauthenticationRequired)
        #expect(try await endpoints.list(in: application.id).map(\.includesUser) == [false])
        #expect(try await pause(endpoint, true).isPaused)
    }

    @Test("waits while the endpoint is paused")
    func pause() async throws {
        let endpoint = try await endpoint()
        _ = try await pause(endpoint, true)
        _ = try await signUp("hana")
        #expect(try await deliver().delivered == 0)
        _ = try await pause(endpoint, false)
        #expect(try await deliver().delivered == 2)
    }

    @Test("signs by the new secret and the one before, until the overlap ends")
    func rotation() async throws {
        let made = try await endpoints.create(.init(url: Self.url), in: application.id, by: .local)
        let rotated = try await endpoints.rotate(
            made.endpoint.id, in: application.id, overlap: try SecretOverlap(hours: 1), by: .local)
        #expect(made.secret.revealed.hasPrefix("whsec_") && made.secret.revealed != rotated.secret.revealed)
        _ = try await world.modules.events.testEndpoint(made.endpoint.id, in: application.id, by: .local)
        #expect(
            receiver.delivered.last?.secrets.map(\.revealed) == [rotated.secret.revealed, made.secret.revealed])
        world.clock.advance(by: .seconds(3600))
        _ = try await world.modules.events.testEndpoint(made.endpoint.id, in: application.id, by: .local)
        #expect(receiver.delivered.last?.secrets.map(\.revealed) == [rotated.secret.revealed])
        #expect(receiver.delivered.last?.event.type == .test)
    }

    @Test("refuses addresses that may not be asked, types that there are not, and a twenty-first endpoint")
    func limits() async throws {
        for draft in [
            ManageEventEndpoints.Draft(url: "http://10.0.0.1"), .init(url: ""),
            .init(url: Self.url, types: [EventType(rawValue: "user.gone")]),
        ] {
            let refusal = await world.refusal {
                _ = try await endpoints.create(draft, in: application.id, by: .local)
            }
            #expect(refusal?.validationErrors?.isEmpty == false, "\(draft)")
        }
        for number in 0..<EventEndpoint.maximumPerApplication {
            _ = try await endpoint("https://e\(number).example.com")
        }
        let refusal = await world.refusal { _ = try await endpoint() }
        #expect(refusal?.validationErrors?.first?.field == "endpoints")
    }
}
