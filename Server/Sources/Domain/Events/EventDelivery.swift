package import enum OkaeriWire.JSONValue

/// An event that waits to be sent to one endpoint, or was given up.
///
/// Of the events of one user only the earliest that waits has a time for its next try: the others follow one after the other,
/// so that the order holds however many nodes send.
package struct EventDelivery: Hashable, Sendable {
    package let application: Identifier<Application>
    package let endpoint: Identifier<EventEndpoint>
    package let event: Identifier<Event>
    package let user: Identifier<User>
    /// The other user of an event of two: it comes behind the earlier ones of both, and the later ones of both behind it.
    package var leftUser: Identifier<User>?
    /// That of the event.
    package let position: Int64
    package var attempts = 0
    /// When it is sent, or tried again; `nil` behind another event of the user, and once it was given up.
    package var nextTryAt: Timestamp?
    package var isGivenUp = false
    /// Under which claim a node has taken it, while how the call went was not noted: the node died meanwhile, or is at it.
    package var claim: String?
    /// Why the last try failed.
    package var lastFault: String?

    /// After how long one that waits for another user's event is looked at again.
    package static let holdingTime: Duration = .seconds(5)

    package init(
        application: Identifier<Application>, endpoint: Identifier<EventEndpoint>, event: Identifier<Event>,
        user: Identifier<User>, position: Int64, nextTryAt: Timestamp?
    ) {
        self.application = application
        self.endpoint = endpoint
        self.event = event
        self.user = user
        self.position = position
        self.nextTryAt = nextTryAt
    }

    /// An event that has a position, for an endpoint.
    init(of event: Event, to endpoint: EventEndpoint, at now: Timestamp) {
        self.init(
            application: event.application, endpoint: endpoint.id, event: event.id, user: event.user,
            position: event.position ?? 0, nextTryAt: now)
        leftUser = event.leftUser
    }
}

/// What is sent to an endpoint.
package struct EventRequest: Sendable {
    package let url: String
    package let event: Event
    /// The user as it is, where the endpoint wants that.
    package let user: EventUser?
    /// One signature is made by each.
    package let secrets: [Secret]

    package init(url: String, event: Event, user: EventUser?, secrets: [Secret]) {
        self.url = url
        self.event = event
        self.user = user
        self.secrets = secrets
    }
}

/// What an endpoint gets of a user, where it wants that.
package struct EventUser: Hashable, Sendable {
    package let displayName: String?
    package let username: String?
    package let email: String?
    package let phone: String?
    package let locale: String?
    package let isAnonymous: Bool
    package let isDisabled: Bool
    package let fields: [String: JSONValue]

    init(_ user: User) {
        displayName = user.displayName
        username = user.username
        email = user.email
        phone = user.phone
        locale = user.locale
        isAnonymous = user.isAnonymous
        isDisabled = user.isDisabled
        fields = user.fields
    }
}

/// What became of a call.
package enum EventOutcome: Hashable, Sendable {
    case delivered
    /// Also for how long the receiver asks to be left alone, where it says so.
    case failed(reason: String, retryAfter: Duration? = nil)
    /// The receiver wants no more of any event.
    case gone

    /// Why it was not delivered; `nil` when it was.
    package var fault: String? {
        switch self {
        case .delivered: nil
        case .failed(let reason, _): reason
        case .gone: DeliveryFault.text(.receiverAnswered, "410")
        }
    }
}

/// Sends events to the backends of apps.
package protocol EventCarrier: Sendable {
    func deliver(_ request: EventRequest) async -> EventOutcome
    /// Whether an address may be asked, as far as its text tells.
    func mayAsk(_ url: String) -> Bool
}

/// Sends nothing anywhere: for worlds without a network.
package struct NoEventCarrier: EventCarrier {
    package init() {}
    package func deliver(_ request: EventRequest) async -> EventOutcome {
        .failed(reason: DeliveryFault.text(.noNetwork))
    }
    package func mayAsk(_ url: String) -> Bool { false }
}

/// What the module of events needs of storage.
package protocol EventQueries {
    // MARK: Events

    /// Writes an event behind all others of its user, and of the one that went, and notifies the workers of this process after the commit; nothing
    /// happens when there is one of the same id.
    func insert(_ event: Event) throws(DomainError)
    /// The first application behind another one, or of all, that has events without a position.
    func applicationWithUnorderedEvents(
        after application: Identifier<Application>?
    ) throws(DomainError) -> Identifier<Application>?
    /// Events of an application without a position: of each user the earlier ones before the later ones.
    func unorderedEvents(in application: Identifier<Application>, limit: Int) throws(DomainError) -> [Event]
    /// Writes an event's position.
    func writePosition(of event: Event) throws(DomainError)
    /// The last position that was given in an application; 0 for none.
    func lastEventPosition(in application: Identifier<Application>) throws(DomainError) -> Int64
    func setLastEventPosition(_ position: Int64, in application: Identifier<Application>) throws(DomainError)
    /// Events behind a position, in order.
    func events(
        in application: Identifier<Application>, after position: Int64, limit: Int
    ) throws(DomainError) -> [Event]
    /// The newest events that have a position, in order.
    func newestEvents(in application: Identifier<Application>, limit: Int) throws(DomainError) -> [Event]
    /// The newest events of a user, the last one first, with a position or without one.
    func events(
        of user: Identifier<User>, in application: Identifier<Application>, limit: Int
    ) throws(DomainError) -> [Event]
    func event(_ id: Identifier<Event>, in application: Identifier<Application>) throws(DomainError) -> Event?
    /// Removes an application's events with a position from before an instant, and what waits of them; the number that went.
    func removeEvents(
        in application: Identifier<Application>, before limit: Timestamp, count: Int
    ) throws(DomainError) -> Int
    /// What waits of all applications. As many deliveries as `limit` are counted, whichever cost least; of the events without
    /// a position those are looked at that get one next.
    func eventBacklog(limit: Int) throws(DomainError) -> EventBacklog

    // MARK: Endpoints

    func eventEndpoints(in application: Identifier<Application>) throws(DomainError) -> [EventEndpoint]
    func eventEndpoint(
        _ id: Identifier<EventEndpoint>, in application: Identifier<Application>
    ) throws(DomainError) -> EventEndpoint?
    func insert(_ endpoint: EventEndpoint) throws(DomainError)
    /// Writes all but the counters of failures.
    func update(_ endpoint: EventEndpoint) throws(DomainError)
    /// Writes the counters of failures.
    func noteCall(of endpoint: EventEndpoint) throws(DomainError)
    /// Removes an endpoint. What waits for it stays, and is sent to nobody.
    func remove(_ endpoint: EventEndpoint) throws(DomainError)
    /// Removes what waits in an application for an endpoint that there is no more, of one such endpoint and at the most `count`; the
    /// number that went.
    func removeDeliveries(
        toRemovedEndpointsOf application: Identifier<Application>, count: Int
    ) throws(DomainError) -> Int
    /// Endpoints to which something can be sent now.
    func endpointsWithDueEvents(at now: Timestamp, limit: Int) throws(DomainError) -> [EventEndpoint]

    // MARK: Deliveries

    /// Lets an event wait for an endpoint: behind the others of its user, or due now. One that was given up waits
    /// anew; nothing happens when it waits already.
    func enqueue(_ delivery: EventDelivery, at now: Timestamp) throws(DomainError)
    /// Takes events that are due, the longest waiting first, but for those that wait for another user's, and keeps them from others until `lease` is over.
    /// Those that a node had taken whose lease ended, which may have arrived, wait until `repetition`.
    func claimDeliveries(
        of endpoint: EventEndpoint, dueBy now: Timestamp, repetition: Timestamp, limit: Int, lease: Timestamp,
        claim: String
    ) throws(DomainError) -> [EventDelivery]
    /// Lets events be due that would wait beyond an instant, or were never tried and wait for longer than another user's event is
    /// waited for: no wait is so long, and the clock was set back. So many at the most; the number of them.
    func shortenDeliveryWaits(beyond limit: Timestamp, to now: Timestamp, count: Int) throws(DomainError) -> Int
    /// Removes a claimed delivery, and lets the user's next one be due; `false` when its claim is over.
    func finish(_ delivery: EventDelivery, at now: Timestamp) throws(DomainError) -> Bool
    /// Writes when a claimed delivery is tried again, or that it was given up: then the user's next one is due. Nothing happens when its
    /// claim is over.
    func postpone(_ delivery: EventDelivery, at now: Timestamp) throws(DomainError)
    /// Deliveries to an endpoint, in the order of the events.
    func deliveries(
        to endpoint: Identifier<EventEndpoint>, in application: Identifier<Application>, givenUp: Bool, limit: Int
    ) throws(DomainError) -> [EventDelivery]
    /// What waits for an endpoint or was given up, from a position on, in the order of the events.
    func deliveries(
        to endpoint: Identifier<EventEndpoint>, in application: Identifier<Application>, from position: Int64,
        limit: Int
    ) throws(DomainError) -> [EventDelivery]
    /// The same of one user's events.
    func deliveries(
        of user: Identifier<User>, to endpoint: Identifier<EventEndpoint>, in application: Identifier<Application>,
        from position: Int64, limit: Int
    ) throws(DomainError) -> [EventDelivery]
    /// Lets a delivery that was given up wait again.
    func revive(_ delivery: EventDelivery, at now: Timestamp) throws(DomainError)
}
