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

        /// Whether another service vouches for it, so that a person can name the user by it.
        package var registers: Bool { self != .device && self != .anonymous }
    }
}

/// An id that a client made up for a user without a name, as some foreign protocols have it. Who knows it can log in, so
/// that it is treated as a secret: only its digest is kept (requirement 24).
package struct AnonymousId: Hashable, Sendable {
    /// The subject of the identity.
    package let subject: String

    /// `nil` unless the text has the form of a UUID: all the SDKs make those, and nothing that is easier to guess gets
    /// in. Upper and lower case make two ids, as they always did.
    package init?(_ text: String) {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard groups.map(\.count) == [8, 4, 4, 4, 12],
            groups.allSatisfy({ group in group.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 } })
        else { return nil }
        subject = Base64URL.text(of: SecretDigest(of: text.utf8).bytes)
    }

    /// Takes the subject of an identity for the id.
    package init(subject: String) {
        self.subject = subject
    }
}
