/// Something that leads to one user: unique by provider and subject within an application.
package struct Identity: Hashable, Sendable {
    package var provider: Provider
    /// The name there; for a device the thumbprint of its key.
    package var subject: String
    package var linkedAt: Timestamp
    /// When the device with this key last passed the user's second factor; `nil` when never.
    package var secondFactorAt: Timestamp?
    /// By which way of log-in the device's key joined the user, or what was shown for the merge that brought the key or an id of a client;
    /// `nil` for one that made the user or joined a guest by a transfer code, and where it is not known.
    package var joinedBy: Session.LogInMethod?

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

        /// Whether another service vouches for it, so that a person can name the user by it.
        package var registers: Bool { self != .device && self != .anonymous }
    }
}
