/// An event as the stream shows it and as webhooks send it, in the form of Standard Webhooks: type, time and data.
public struct EventBody: Codable, Hashable, Sendable {
    /// The event's id: an event that comes twice has the same one.
    public var id: String
    /// What happened: `user.created`, `user.merged` … An open set.
    public var type: String
    /// When.
    public var timestamp: WireTime
    /// Its position in the application's stream; absent for a test.
    public var position: Int64?
    /// To whom it happened.
    public var data: Subject

    /// To whom something happened.
    public struct Subject: Codable, Hashable, Sendable {
        /// The user's id; absent for a test.
        public var user: String?
        /// The user that went, in a merge or a switch: rows of this one belong to `user` now.
        public var leftUser: String?
        /// Names and ids of what changed, and no value.
        public var details: [String: String]
        /// The user as it was when the event was sent, for endpoints that are set to get it.
        public var profile: Profile?

        /// Makes a subject.
        public init(
            user: String?, leftUser: String? = nil, details: [String: String] = [:], profile: Profile? = nil
        ) {
            self.user = user
            self.leftUser = leftUser
            self.details = details
            self.profile = profile
        }
    }

    /// A user.
    public struct Profile: Codable, Hashable, Sendable {
        /// The name that others see.
        public var displayName: String?
        /// The user name.
        public var username: String?
        /// The mail address.
        public var email: String?
        /// The phone number.
        public var phone: String?
        /// The language.
        public var locale: String?
        /// Whether nothing but a device leads to the user.
        public var isAnonymous: Bool
        /// Whether operators keep the user out.
        public var isDisabled: Bool
        /// The application's own fields.
        public var fields: [String: JSONValue]

        /// Makes a user without names.
        public init(isAnonymous: Bool, isDisabled: Bool, fields: [String: JSONValue]) {
            self.isAnonymous = isAnonymous
            self.isDisabled = isDisabled
            self.fields = fields
        }
    }

    /// Makes an event.
    public init(id: String, type: String, timestamp: WireTime, position: Int64?, data: Subject) {
        self.id = id
        self.type = type
        self.timestamp = timestamp
        self.position = position
        self.data = data
    }
}
