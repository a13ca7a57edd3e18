/// A user, as the API shows it to the user.
public struct UserBody: Codable, Hashable, Sendable {
    /// The id. It never changes.
    public var id: String
    /// Whether the user has no identifier that a person could type.
    public var isAnonymous: Bool
    /// The user name.
    public var username: String?
    /// The mail address.
    public var email: String?
    /// Whether the mail address was shown to be the user's.
    public var emailVerified = false
    /// Whether Apple hides the person's own address behind the mail address; `nil` when it does not.
    public var emailIsRelay: Bool?
    /// The phone number in E.164 form.
    public var phone: String?
    /// Whether the phone number was shown to be the user's.
    public var phoneVerified = false
    /// The name to greet by.
    public var displayName: String?
    /// The user's language, a BCP 47 tag.
    public var locale: String?
    /// The application's own fields.
    public var fields: [String: JSONValue]
    /// What leads to this user.
    public var identities: [IdentityBody]
    /// Whether the user can log in with a password.
    public var hasPassword = false
    /// The names of the user's roles, its own and those of its groups; `nil` for none.
    public var roles: [String]?
    /// The names of the user's groups; `nil` for none.
    public var groups: [String]?
    /// What the user's roles permit; `nil` for nothing.
    public var permissions: [String]?
    /// What access tokens say of the user by the application's rules; `nil` for nothing.
    public var claims: [String: JSONValue]?
    /// What the claim `claims_version` of a token says that was made now; `nil` without claims.
    public var claimsVersion: String?
    /// When the user was made.
    public var createdAt: WireTime
    /// When the user was last changed. A log-in is no change.
    public var updatedAt: WireTime
    /// The time of the latest log-in.
    public var lastLogInAt: WireTime?
    /// The time of the log-in before the latest.
    public var previousLogInAt: WireTime?

    /// Makes a user's description. Identifiers, password and log-ins are set afterwards.
    public init(
        id: String, isAnonymous: Bool, displayName: String? = nil, locale: String? = nil,
        fields: [String: JSONValue] = [:], identities: [IdentityBody] = [], createdAt: WireTime, updatedAt: WireTime
    ) {
        self.id = id
        self.isAnonymous = isAnonymous
        self.displayName = displayName
        self.locale = locale
        self.fields = fields
        self.identities = identities
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// Something that leads to a user.
public struct IdentityBody: Codable, Hashable, Sendable {
    /// Who vouches: `device`, `apple`, `google` … An open set.
    public var provider: String
    /// The name there: for a device the thumbprint of its key (RFC 7638, base64url).
    public var subject: String
    /// When it was linked.
    public var linkedAt: WireTime

    /// Makes an identity's description.
    public init(provider: String, subject: String, linkedAt: WireTime) {
        self.provider = provider
        self.subject = subject
        self.linkedAt = linkedAt
    }
}
