package import Domain
package import OkaeriWire

extension EventBody {
    /// An event as it is stored, without the user.
    package init(_ event: Event) {
        self.init(
            id: event.id.rawValue, type: event.type.rawValue, timestamp: event.at.wire, position: event.position,
            data: Subject(
                user: event.user.rawValue, leftUser: event.leftUser?.rawValue, details: event.details))
    }
}

/// A page of the stream.
package struct EventsBody: Encodable {
    let events: [EventBody]
    /// What to send as `after` for the events that follow.
    let next: Int64
    /// Whether events are recorded at all.
    let isRecorded: Bool

    package init(_ page: ReadEvents.Page, of application: Application) {
        events = page.events.map(EventBody.init(_:))
        next = page.next
        isRecorded = application.settings.events.isRecorded
    }
}

/// An event that waits for an endpoint, or was given up.
package struct EventDeliveryBody: Encodable {
    let event: String
    /// Absent for an event that is gone.
    let type: String?
    let user: String
    let position: Int64
    let attempts: Int
    /// Absent behind another event of the user, and once it was given up.
    let nextTryAt: WireTime?
    let isGivenUp: Bool
    let lastFault: String?

    package init(_ listed: ListEventDeliveries.Listed) {
        let delivery = listed.delivery
        type = listed.type?.rawValue
        event = delivery.event.rawValue
        user = delivery.user.rawValue
        position = delivery.position
        attempts = delivery.attempts
        nextTryAt = delivery.nextTryAt?.wire
        isGivenUp = delivery.isGivenUp
        lastFault = delivery.lastFault
    }
}
