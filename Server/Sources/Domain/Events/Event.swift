/// Something that happened to a user and that the app's own backends may want to know: one row, written with the action.
package struct Event: Hashable, Sendable {
    /// That of the entry in the audit log, or that of the user for the event of its creation.
    package let id: Identifier<Event>
    package let application: Identifier<Application>
    package let type: EventType
    package let user: Identifier<User>
    /// The user that went, in a merge or a switch.
    package let leftUser: Identifier<User>?
    package let at: Timestamp
    /// Names and ids of what changed, as the audit log has them. No value.
    package let details: [String: String]
    /// The position in the application's stream, counted from 1; `nil` until `OrderEvents` has given one.
    package var position: Int64?

    package init(
        id: Identifier<Event>, application: Identifier<Application>, type: EventType, user: Identifier<User>,
        leftUser: Identifier<User>? = nil, at: Timestamp, details: [String: String] = [:]
    ) {
        self.id = id
        self.application = application
        self.type = type
        self.user = user
        self.leftUser = leftUser
        self.at = at
        self.details = details
    }

    /// The event of a user that a transaction has made.
    static func created(_ user: User, anonymously isAnonymous: Bool) -> Event {
        Event(
            id: Identifier(rawValue: user.id.rawValue), application: user.application, type: .userCreated,
            user: user.id, at: user.createdAt, details: ["anonymous": isAnonymous ? "yes" : "no"])
    }
}

/// What happened, as receivers see it: an open set.
package struct EventType: RawRepresentable, Hashable, Sendable {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let userCreated = EventType(rawValue: "user.created")
    package static let userMerged = EventType(rawValue: "user.merged")
    package static let userSwitched = EventType(rawValue: "user.switched")
    package static let mergeUndone = EventType(rawValue: "user.merge-undone")
    package static let loggedIn = EventType(rawValue: AuditEntry.Action.loggedIn.rawValue)
    package static let exported = EventType(rawValue: AuditEntry.Action.userExported.rawValue)
    package static let erased = EventType(rawValue: AuditEntry.Action.userErased.rawValue)
    /// Sent by the test of an endpoint, and never recorded.
    package static let test = EventType(rawValue: "test")

    /// All types that this program records, by name.
    package static let all: [EventType] = Set(
        AccountChange.allCases.compactMap(\.policy.event) + [.userCreated, .loggedIn, .exported]
    ).sorted { $0.rawValue < $1.rawValue }
}

/// Whether an application's events are recorded, and how long they are kept.
package struct EventSettings: Hashable, Sendable {
    package static let retentionDays: ClosedRange<Int64> = 1...90

    /// Whether they are recorded for the stream.
    package var isStreamed = false
    /// Whether there are endpoints. `ManageEventEndpoints` alone changes it.
    package var hasEndpoints = false
    /// After how long events are removed, delivered or not.
    package var retention: Duration = .days(30)

    package init() {}

    /// Without anybody who listens no event is written.
    package var isRecorded: Bool { isStreamed || hasEndpoints }
}

extension AuditDraft {
    /// The event of the action that the entry is about: it has the entry's id.
    func event(
        _ type: EventType, of user: Identifier<User>, leaving left: Identifier<User>? = nil,
        details: [String: String] = [:]
    ) -> Event {
        Event(
            id: Identifier(rawValue: id.rawValue), application: application, type: type, user: user, leftUser: left,
            at: at, details: details)
    }
}
