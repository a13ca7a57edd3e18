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
