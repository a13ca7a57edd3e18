import TestWorld
import Testing

@testable import Domain

/// What an operator sees of an event at an endpoint, for every case that there is.
@Suite("How far an event has come at an endpoint")
struct EventStateTests {
    private static let now = StandingClock().now
    private static let application = Identifier<Application>(rawValue: "app")

    private static func endpoint(_ types: [EventType]) -> EventEndpoint {
        EventEndpoint(
            id: Identifier(rawValue: "e"), application: application, url: "https://a.example", types: types,
            createdAt: now, sealedSecret: [])
    }

    private static func event(_ id: String = "1", after: Int64 = 0, position: Int64? = nil) -> Event {
        var event = Event(
            id: Identifier(rawValue: id), application: application, type: .userCreated,
            user: Identifier(rawValue: "u"), at: now + .milliseconds(after))
        event.position = position
        return event
    }

    private static func delivery(
        _ event: String = "1", to endpoint: String = "e", isGivenUp: Bool = false
    ) -> EventDelivery {
        var delivery = EventDelivery(
            application: application, endpoint: Identifier(rawValue: endpoint), event: Identifier(rawValue: event),
            user: Identifier(rawValue: "u"), position: 1, nextTryAt: nil)
        delivery.isGivenUp = isGivenUp
        return delivery
    }

    @Test(
        "is delivered when nothing of it waits, and waits before it has a position", arguments: [nil, 1, 7] as [Int64?])
    func alone(position: Int64?) {
        let event = Self.event(position: position)
        let expected: EventEndpoint.State = position == nil ? .waits : .delivered
        // What waits of other events, or for other endpoints, says nothing of this one.
        let others = [Self.delivery("2"), Self.delivery(to: "f"), Self.delivery("2", isGivenUp: true)]
        for count in 0...others.count {
            let state = Self.endpoint([]).state(of: event, among: Array(others.prefix(count)))
            #expect(state == expected, "\(count)")
        }
    }

    @Test("waits or was given up as its delivery says, wherever that stands", arguments: [true, false], 0..<3)
    func among(isGivenUp: Bool, index: Int) {
        var all = [Self.delivery("2"), Self.delivery(to: "f", isGivenUp: !isGivenUp)]
        all.insert(Self.delivery(isGivenUp: isGivenUp), at: index)
        let state = Self.endpoint([]).state(of: Self.event(position: 1), among: all)
        let expected: EventEndpoint.State = isGivenUp ? .givenUp : .waits
        #expect(state == expected)
    }

    @Test("is nothing for an endpoint of other types, and something for one of its own", arguments: EventType.all)
    func types(type: EventType) {
        let state = Self.endpoint([type]).state(of: Self.event(position: 1), among: [Self.delivery()])
        let expected: EventEndpoint.State? = type == .userCreated ? .waits : nil
        #expect(state == expected)
    }

    @Test("is nothing for an endpoint that is younger", arguments: [-1, 0, 1] as [Int64], [nil, 1] as [Int64?])
    func age(after: Int64, position: Int64?) {
        let state = Self.endpoint([]).state(of: Self.event(after: after, position: position), among: [])
        let known: EventEndpoint.State = position == nil ? .waits : .delivered
        #expect(state == (after < 0 ? nil : known))
    }
}
