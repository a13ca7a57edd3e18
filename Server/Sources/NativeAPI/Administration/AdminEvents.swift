import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

extension AdminAPI {
    private static let application = "applications/{application}"
    private static let endpoint = "\(application)/event-endpoints/{endpoint}"

    /// The stream of events, and the endpoints that they are sent to.
    static let events: [AdminRoute] = [
        AdminRoute(.get, "\(application)/events", .readEvents) { call in try await call.readEvents() },
        AdminRoute(.patch, "\(application)/event-settings", .changeEvents) { call in
            let (version, body) = (try call.versionIfSent(), try await call.body(EventSettingsPatch.self))
            let changed = try await call.modules.events.changeSettings(
                of: try call.targetApplication().id, isStreamed: body.isStreamed,
                retentionDays: body.retentionDays, isCurrent: try call.isCurrent(version), by: try call.auditActor())
            return try call.answer(try await call.eventEndpoints(of: changed), versionOf: changed)
        },
        AdminRoute(.get, "\(application)/event-endpoints", .readSettings) { call in
            let application = try call.targetApplication()
            return try call.answer(try await call.eventEndpoints(of: application), versionOf: application)
        },
        AdminRoute(.post, "\(application)/event-endpoints", .changeEvents, also: [.includeUsersInEvents]) { call in
            let attempt = try call.attempt()
            let body = try await call.body(EventEndpointPatch.self)
            var draft = ManageEventEndpoints.Draft(url: body.url ?? "")
            body.apply(to: &draft)
            let asked = draft
            let made = try await call.perform(asked.action) { who in
                try await call.modules.events.endpoints.create(
                    asked, in: try call.targetApplication().id, attempt: attempt, by: who)
            }
            return try call.answer(EventEndpointBody(made.endpoint, secret: made.secret), status: .created)
        },
        AdminRoute(.get, endpoint, .readSettings) { call in
            let found = try await call.modules.events.endpoints.find(
                try call.eventEndpoint(), in: try call.targetApplication().id)
            return try call.answer(EventEndpointBody(found), eTag: found.version)
        },
        AdminRoute(.patch, endpoint, .changeEvents, also: [.includeUsersInEvents]) { call in
            let body = try await call.body(EventEndpointPatch.self)
            let changed = try await call.modules.events.endpoints.change(
                try call.eventEndpoint(), in: try call.targetApplication().id,
                isCurrent: try call.isEndpointCurrent(), by: try call.auditActor(),
                requiring: { action throws(DomainError) in try call.require(action) },
                { body.apply(to: &$0) })
            return try call.answer(EventEndpointBody(changed), eTag: changed.version)
        },
        AdminRoute(.delete, endpoint, .changeEvents) { call in
            try await call.modules.events.endpoints.remove(
                try call.eventEndpoint(), in: try call.targetApplication().id,
                isCurrent: try call.isEndpointCurrent(), by: try call.auditActor())
            return AdminCall.done
        },
        AdminRoute(.post, "\(endpoint)/rotate", .changeEvents) { call in
            let attempt = try call.attempt()
            let body = try await call.body(EventSecretRotationBody.self)
            let made = try await call.modules.events.endpoints.rotate(
                try call.eventEndpoint(), in: try call.targetApplication().id,
                overlap: try SecretOverlap(hours: body.overlapHours), attempt: attempt, by: try call.auditActor())
            return try call.answer(EventEndpointBody(made.endpoint, secret: made.secret))
        },
        AdminRoute(.post, "\(endpoint)/test", .sendTestEvent) { call in
            let outcome = try await call.modules.events.testEndpoint(
                try call.eventEndpoint(), in: try call.targetApplication().id, by: try call.auditActor())
            return try call.answer(EventTestBody(outcome))
        },
        AdminRoute(.post, "\(endpoint)/replay", .replayEvents) { call in
            let (body, id) = (try await call.body(EventReplayBody.self), try call.eventEndpoint())
            let (application, who) = (try call.targetApplication().id, try call.auditActor())
            let replay = call.modules.events.replayEvents
            let count =
                if let position = body.after {
                    try await replay(after: position, to: id, in: application, by: who)
                } else {
                    try await replay(givenUpOf: id, in: application, by: who)
                }
            return try call.answer(EventReplayResponse(count: count), status: .accepted)
        },
        // It names users.
        AdminRoute(.get, "\(endpoint)/deliveries", .readEvents) { call in
            let query = try AdminQuery(call, "givenUp", "limit")
            let limit = try query.number("limit", in: 1...ListEventDeliveries.maximumPageSize) ?? 100
            let deliveries = try await call.modules.events.listDeliveries(
                to: try call.eventEndpoint(), in: try call.targetApplication().id,
                givenUp: try query.truth("givenUp") ?? false, limit: limit)
            return try call.answer(EventDeliveriesBody(deliveries: deliveries.map(EventDeliveryBody.init(_:))))
        },
    ]
}

extension AdminCall {
    fileprivate func eventEndpoint() throws(DomainError) -> Identifier<EventEndpoint> {
        Identifier(rawValue: try id("endpoint"))
    }

    /// Whether the endpoint is still as the caller has seen it, if it names a version; for a transaction.
    fileprivate func isEndpointCurrent() throws(DomainError) -> @Sendable (EventEndpoint) -> Bool {
        guard let version = try versionIfSent() else { return { _ in true } }
        return { $0.version == version }
    }

    fileprivate func eventEndpoints(of application: Domain.Application) async throws(DomainError)
        -> EventEndpointsBody
    {
        EventEndpointsBody(application.settings.events, try await modules.events.endpoints.list(in: application.id))
    }
}

struct EventSettingsPatch: Decodable, Sendable {
    let isStreamed: Bool?
    let retentionDays: Int64?

    private enum CodingKeys: String, CodingKey, CaseIterable { case isStreamed, retentionDays }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        isStreamed = try members.decodeIfPresent(Bool.self, forKey: .isStreamed)
        retentionDays = try members.decodeIfPresent(Int64.self, forKey: .retentionDays)
    }
}

struct EventEndpointPatch: Decodable, Sendable {
    let url: String?
    let types: [EventType]?
    let includesUser: Bool?
    let isPaused: Bool?

    private enum CodingKeys: String, CodingKey, CaseIterable { case url, types, includesUser, isPaused }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        url = try members.decodeIfPresent(String.self, forKey: .url)
        types = try members.decodeIfPresent([String].self, forKey: .types)?.map(EventType.init(rawValue:))
        includesUser = try members.decodeIfPresent(Bool.self, forKey: .includesUser)
        isPaused = try members.decodeIfPresent(Bool.self, forKey: .isPaused)
    }

    func apply(to draft: inout ManageEventEndpoints.Draft) {
        if let url { draft.url = url }
        if let types { draft.types = types }
        if let includesUser { draft.includesUser = includesUser }
        if let isPaused { draft.isPaused = isPaused }
    }
}

struct EventSecretRotationBody: Decodable, Sendable {
    let overlapHours: Int64?

    private enum CodingKeys: String, CodingKey, CaseIterable { case overlapHours }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        overlapHours = try members.decodeIfPresent(Int64.self, forKey: .overlapHours)
    }
}

struct EventReplayBody: Decodable, Sendable {
    let after: Int64?

    private enum CodingKeys: String, CodingKey, CaseIterable { case after }

    init(from decoder: any Decoder) throws {
        after = try decoder.closedContainer(keyedBy: CodingKeys.self).decodeIfPresent(Int64.self, forKey: .after)
    }
}

struct EventReplayResponse: Encodable {
    /// How many events wait to be sent again.
    let count: Int
}

struct EventTestBody: Encodable {
    let isDelivered: Bool
    let fault: String?

    init(_ outcome: EventOutcome) {
        (isDelivered, fault) = (outcome.fault == nil, outcome.fault)
    }
}

struct EventDeliveriesBody: Encodable {
    let deliveries: [EventDeliveryBody]
}

struct EventEndpointsBody: Encodable {
    let isStreamed: Bool
    let retentionDays: Int64
    /// All types that there are.
    let types: [String]
    let endpoints: [EventEndpointBody]

    init(_ settings: EventSettings, _ endpoints: [EventEndpoint]) {
        isStreamed = settings.isStreamed
        retentionDays = settings.retention.components.seconds / 86_400
        types = EventType.all.map(\.rawValue)
        self.endpoints = endpoints.map { EventEndpointBody($0) }
    }
}

struct EventEndpointBody: Encodable {
    let id: String
    let url: String
    let types: [String]
    let includesUser: Bool
    let isPaused: Bool
    /// When a response of 410 switched it off.
    let goneAt: WireTime?
    let createdAt: WireTime
    /// Calls that failed since the last one that did not.
    let failures: Int
    /// Until when the secret before signs too; of several, the last.
    let formerSecretUntil: WireTime?
    /// Returned once.
    let secret: String?

    init(_ endpoint: EventEndpoint, secret: Secret? = nil) {
        id = endpoint.id.rawValue
        url = endpoint.url
        types = endpoint.types.map(\.rawValue)
        includesUser = endpoint.includesUser
        isPaused = endpoint.isPaused
        goneAt = endpoint.goneAt?.wire
        createdAt = endpoint.createdAt.wire
        failures = endpoint.failures
        formerSecretUntil = endpoint.formerUntil?.wire
        self.secret = secret?.revealed
    }
}
