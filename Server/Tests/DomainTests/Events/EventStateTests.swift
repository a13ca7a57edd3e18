import TestWorld
import Testing

@testable import Domain

/// What an operator sees of an event at an endpoint, for everything that can be known of both.
@Suite("How far an event has come at an endpoint")
struct EventStateTests {
    private static let now = StandingClock().now
    private static let application = Identifier<Application>(rawValue: "app")
    private static let user = Identifier<User>(rawValue: "hana")

    private static func endpoint(types: [EventType]) -> EventEndpoint {
        EventEndpoint(
            id: Identifier(rawValue: "e"), application: application, url: "https://a.example", types: types,
            createdAt: now, sealedSecret: [])
    }

    private static func event(at time: Timestamp, position: Int64?) -> Event {
        var event = Event(
            id: Identifier(rawValue: "1"), application: application, type: .userCreated, user: user, at: time)
        event.position = position
        return event
    }

    private static func delivery(of event: String, to endpoint: String, isGivenUp: Bool) -> EventDelivery {
        var delivery = EventDelivery(
            application: application, endpoint: Identifier(rawValue: endpoint), event: Identifier(rawValue: event),
            user: user, position: 1, nextTryAt: isGivenUp ? nil : now)
        delivery.isGivenUp = isGivenUp
        return delivery
    }

    private enum Own: CaseIterable, Sendable {
        case none, waits, givenUp
    }

    @Test(
        "is what waits or was given up, or delivered once it has a position, and nothing where it was never due",
        arguments: [-1, 0, 1], [nil, 1] as [Int64?])
    func states(offset: Int64, position: Int64?) {
        let event = Self.event(at: Self.now + .milliseconds(offset), position: position)
        // What waits of others says nothing of this one.
        let others = [true, false].flatMap {
            [
                Self.delivery(of: "2", to: "e", isGivenUp: $0), Self.delivery(of: "1", to: "f", isGivenUp: $0),
            ]
        }
        for types in [[], [.userCreated], [.loggedIn], [.loggedIn, .userCreated]] as [[EventType]] {
            for own in Own.allCases {
                let mine: [EventDelivery] =
                    own == .none ? [] : [Self.delivery(of: "1", to: "e", isGivenUp: own == .givenUp)]
                let isDue = offset >= 0 && (types.isEmpty || types.contains(.userCreated))
                let state: EventEndpoint.State? =
                    switch own {
                    case _ where !isDue: nil
                    case .none: position == nil ? .waits : .delivered
                    case .waits: .waits
                    case .givenUp: .givenUp
                    }
                #expect(
                    Self.endpoint(types: types).state(of: event, among: others + mine) == state, "\(types) \(own)")
            }
        }
    }
}
