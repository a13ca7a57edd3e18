/// News that a provider tells on its own about people whom it vouched for (requirement 35).
package struct ProviderNotification: Hashable, Sendable {
    /// Names the message, which may come several times.
    package var id: String
    /// The audience that it is for.
    package var audience: String
    package var issuedAt: Timestamp
    package var events: [Event]

    package init(id: String, audience: String, issuedAt: Timestamp, events: [Event]) {
        self.id = id
        self.audience = audience
        self.issuedAt = issuedAt
        self.events = events
    }

    package struct Event: Hashable, Sendable {
        package var kind: Kind
        /// The person, by the provider's own name, without the team.
        package var name: String
        package var email: ProviderEmail?
        /// When it happened; `nil` when nothing but the message's own time is known.
        package var happenedAt: Timestamp?

        package init(kind: Kind, name: String, email: ProviderEmail? = nil, happenedAt: Timestamp? = nil) {
            self.kind = kind
            self.name = name
            self.email = email
            self.happenedAt = happenedAt
        }
    }

    package enum Kind: Hashable, Sendable {
        /// Mail to the relay address is delivered again.
        case emailEnabled
        /// Mail to the relay address is no longer delivered.
        case emailDisabled
        /// The person does not want to be logged in with the provider any more; the identity still names them.
        case consentRevoked
        /// The provider's account is gone, and with it the identity.
        case accountDeleted
        /// Something that this version does not know.
        case other(String)
    }
}
