package import enum OkaeriWire.JSONValue

/// A person's account in one application.
package struct User: Hashable, Sendable {
    package let id: Identifier<User>
    package let application: Identifier<Application>
    package var displayName: String?
    /// A BCP 47 language tag.
    package var locale: String?
    package var fields: [String: JSONValue]
    /// What leads to this user, oldest first.
    package var identities: [Identity]
    package let createdAt: Timestamp
    /// The time of the last change that the user or an operator made; a log-in is none.
    package var updatedAt: Timestamp
    package var lastLogInAt: Timestamp?
    package var previousLogInAt: Timestamp?

    package init(
        id: Identifier<User>, application: Identifier<Application>, displayName: String? = nil, locale: String? = nil,
        fields: [String: JSONValue] = [:], identities: [Identity] = [], createdAt: Timestamp, updatedAt: Timestamp,
        lastLogInAt: Timestamp? = nil, previousLogInAt: Timestamp? = nil
    ) {
        self.id = id
        self.application = application
        self.displayName = displayName
        self.locale = locale
        self.fields = fields
        self.identities = identities
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.lastLogInAt = lastLogInAt
        self.previousLogInAt = previousLogInAt
    }

    /// Whether nothing leads to this user that a person could type or that another service vouches for.
    package var isAnonymous: Bool {
        identities.allSatisfy { $0.provider == .device || $0.provider == .anonymous }
    }
}

/// Something that leads to one user: unique by provider and subject within an application.
package struct Identity: Hashable, Sendable {
    package var provider: Provider
    /// The name there; for a device the thumbprint of its key.
    package var subject: String
    package var linkedAt: Timestamp

    package init(provider: Provider, subject: String, linkedAt: Timestamp) {
        self.provider = provider
        self.subject = subject
        self.linkedAt = linkedAt
    }

    /// Who vouches for an identity. An open set: operators can add OpenID Connect providers by name.
    package struct Provider: RawRepresentable, Hashable, Sendable {
        package var rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        package static let device = Provider(rawValue: "device")
        package static let anonymous = Provider(rawValue: "anonymous")
    }
}

/// What the slice asks of storage.
package protocol UserQueries {
    /// The user with its identities.
    func user(_ id: Identifier<User>, in application: Identifier<Application>) throws(DomainError) -> User?
    /// Users by id, that is by age, oldest first.
    func users(
        in application: Identifier<Application>, after id: Identifier<User>?, limit: Int
    ) throws(DomainError) -> [User]
    /// Writes a new user, without its identities.
    func insert(_ user: User) throws(DomainError)
    /// Writes name, locale, fields and the time of change.
    func updateProfile(of user: User) throws(DomainError)
    /// Writes the times of the last two log-ins.
    func updateLogInTimes(of user: User) throws(DomainError)
}

/// What the slice asks of storage.
package protocol IdentityQueries {
    /// The user that an identity leads to.
    func user(
        provider: Identity.Provider, subject: String, in application: Identifier<Application>
    ) throws(DomainError) -> User?
    /// Links an identity that leads to nobody yet.
    func insert(_ identity: Identity, for user: Identifier<User>, in application: Identifier<Application>)
        throws(DomainError)
}
