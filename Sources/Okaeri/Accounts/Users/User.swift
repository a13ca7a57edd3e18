public import Foundation
@_spi(TotalConversions) public import OkaeriWire

/// A person's account in this application.
public struct User: Hashable, Sendable, Identifiable {
    /// The id. It never changes, whatever the person adds or on whichever device they log in.
    public let id: String
    /// Whether the user has no identifier that a person could type.
    public var isAnonymous: Bool
    /// The user name.
    public var username: String?
    /// The mail address.
    public var email: String?
    /// Whether the mail address was shown to be the user's.
    public var emailVerified: Bool
    /// Whether Apple hides the person's own address behind the mail address: mail arrives only as long as the person lets
    /// it.
    public var emailIsRelay: Bool
    /// The phone number in E.164 form.
    public var phone: String?
    /// Whether the phone number was shown to be the user's.
    public var phoneVerified: Bool
    /// The name to greet by.
    public var displayName: String?
    /// The user's language, a BCP 47 tag.
    public var locale: String?
    /// The application's own fields.
    public var fields: [String: JSONValue]
    /// What leads to this user: devices, providers.
    public var identities: [Identity]
    /// Whether the user can log in with a password.
    public var hasPassword: Bool
    /// The names of the user's roles, its own and those of its groups, as the server knew them when it last described the
    /// user. For what the app shows: what is allowed is decided by the app's backend, by the access token.
    public var roles: [String]
    /// The names of the user's groups.
    public var groups: [String]
    /// What the user's roles permit.
    public var permissions: [String]
    /// What access tokens say of the user by the application's rules.
    public var claims: [String: JSONValue]
    /// The claim `claims_version` of a token that is made now; `nil` without claims.
    public var claimsVersion: String?
    /// When the user was made.
    public var createdAt: Date
    /// When the user was last changed.
    public var updatedAt: Date
    /// The time of the latest log-in.
    public var lastLogInAt: Date?
    /// The time of the log-in before the latest.
    public var previousLogInAt: Date?

    /// Something that leads to a user.
    public struct Identity: Hashable, Sendable {
        /// Who vouches: `device`, `apple`, `google` … An open set.
        public var provider: String
        /// The name there: for a device the thumbprint of its key.
        public var subject: String
        /// When it was linked.
        public var linkedAt: Date

        /// Makes an identity.
        public init(provider: String, subject: String, linkedAt: Date) {
            self.provider = provider
            self.subject = subject
            self.linkedAt = linkedAt
        }
    }

    /// Takes a user over from the wire.
    ///
    /// - Parameter body: The user as the server describes it.
    public init(_ body: UserBody) {
        id = body.id
        isAnonymous = body.isAnonymous
        username = body.username
        email = body.email
        emailVerified = body.emailVerified
        emailIsRelay = body.emailIsRelay ?? false
        phone = body.phone
        phoneVerified = body.phoneVerified
        displayName = body.displayName
        locale = body.locale
        fields = body.fields
        identities = body.identities.map {
            Identity(provider: $0.provider, subject: $0.subject, linkedAt: Date($0.linkedAt))
        }
        hasPassword = body.hasPassword
        roles = body.roles ?? []
        groups = body.groups ?? []
        permissions = body.permissions ?? []
        claims = body.claims ?? [:]
        claimsVersion = body.claimsVersion
        createdAt = Date(body.createdAt)
        updatedAt = Date(body.updatedAt)
        lastLogInAt = body.lastLogInAt.map(Date.init(_:))
        previousLogInAt = body.previousLogInAt.map(Date.init(_:))
    }
}

extension Date {
    /// The instant that the wire names.
    package init(_ time: WireTime) {
        self.init(timeIntervalSince1970: TimeInterval(time.millisecondsSince1970) / 1000)
    }
}

extension WireTime {
    /// The instant, cut to whole milliseconds; beyond the years 0000 to 9999, the nearer end of them.
    package init(_ date: Date) {
        // The millisecond that is meant may be a hair below its whole number in binary: a microsecond brings it back.
        self.init(millisecondsSince1970: Int64(clamping: (date.timeIntervalSince1970 * 1000 + 0.001).rounded(.down)))
    }
}
