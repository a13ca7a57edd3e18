import Foundation

/// What a log-in that needs a second factor returns instead of a session.
package struct SecondFactorChallenge: Hashable, Sendable {
    /// What can be shown, the best first.
    package enum Factor: String, CaseIterable, Hashable, Sendable {
        case totp
        case recoveryCode = "recovery-code"
    }

    /// Finishes the log-in together with a factor.
    package let ticket: Secret
    /// None for a user who has to add one.
    package let factors: [Factor]
    package let expiresAt: Timestamp
    /// Whether the user has a passkey, which is two factors when it recognises its user.
    package let hasPasskey: Bool
    /// Whether the key that is to join the user leads to somebody else: it will not, and a log-in with another key can begin anew
    /// before anything counts.
    package var isKeyTaken = false

    package func hash(into hasher: inout Hasher) {
        hasher.combine(factors)
        hasher.combine(expiresAt)
    }
}

/// A log-in of which the second factor is missing. Nothing is stored of it: the ticket is sealed, and is void when the
/// user's tickets are (`Eviction.tickets`).
struct SecondFactorTicket: Codable, Sendable {
    static let lifetime: Duration = .seconds(300)

    var user: String
    /// The user's `credentialsVersion`.
    var version: Int64
    /// How the log-in began.
    var method: String
    /// What it has proved, as `AuthenticationMethods`.
    var methods: Int64
    /// The key that has to sign its end too, if there is one.
    var deviceKey: String?
    /// Whether the user has to add a factor.
    var isEnrolment: Bool
    /// Milliseconds since 1970.
    var expiresAt: Int64
    /// Stands for the identity by which the log-in began; `nil` for a way without one, and in tickets of before it was written.
    var identity: String?
    /// When the person logged in at the provider, in milliseconds since 1970, where that was before the log-in that an app demands; see
    /// `SessionIssuer.provenAt`.
    var provenAt: Int64?

    var userId: Identifier<User> { Identifier(rawValue: user) }

    /// What stands for an identity, whose subject may be longer than a ticket.
    static func digest(of identity: Identity.Name) -> String {
        Base64URL.text(of: SecretDigest(of: "\(identity.provider.rawValue) \(identity.subject)".utf8).bytes)
    }

    /// Whether the identity by which the log-in began leads to the user still, and not another one of the same kind: a passkey beside
    /// it, or the account at a provider that replaced it. Who has removed it since has put out who came by it.
    func isHeld(by user: User) -> Bool {
        if let identity { return user.identities.contains { Self.digest(of: $0.name) == identity } }
        let proven = AuthenticationMethods(rawValue: methods)
        guard proven.contains(.provider) || proven.contains(.passkey) else { return true }
        return user.identities.contains { $0.provider.rawValue == method }
    }
}

/// A key for an authenticator app that is not confirmed yet. Nothing is stored of it either.
struct TOTPEnrolment: Codable, Sendable {
    static let lifetime: Duration = .seconds(600)

    /// That the factor will have.
    var id: String
    var user: String
    /// The user's `credentialsVersion`.
    var version: Int64
    var key: [UInt8]
    /// Milliseconds since 1970.
    var expiresAt: Int64
}

/// Seals and opens the tickets of second factors.
struct SecondFactorTickets: Sendable {
    private static let maximumBytes = 2048

    let sealingKey: SealingKey

    func seal(_ ticket: SecondFactorTicket, in application: Identifier<Application>) throws(DomainError) -> Secret {
        try seal(ticket, purpose: Self.logInPurpose(application))
    }

    func seal(_ enrolment: TOTPEnrolment, in application: Identifier<Application>) throws(DomainError) -> Secret {
        try seal(enrolment, purpose: Self.enrolmentPurpose(application))
    }

    /// - Throws: `secondFactorTicketRefused` for a text that is no ticket from here, or too old.
    func logIn(
        _ text: String, in application: Identifier<Application>, at now: Timestamp
    ) throws(DomainError) -> SecondFactorTicket {
        let ticket: SecondFactorTicket? = open(text, purpose: Self.logInPurpose(application))
        guard let ticket, now.milliseconds < ticket.expiresAt else { throw .secondFactorTicketRefused }
        return ticket
    }

    /// - Throws: `secondFactorTicketRefused` for a text that is no enrolment from here, too old, or another user's.
    func enrolment(
        _ text: String, of user: Identifier<User>, in application: Identifier<Application>, at now: Timestamp
    ) throws(DomainError) -> TOTPEnrolment {
        let enrolment: TOTPEnrolment? = open(text, purpose: Self.enrolmentPurpose(application))
        guard let enrolment, now.milliseconds < enrolment.expiresAt, enrolment.user == user.rawValue else {
            throw .secondFactorTicketRefused
        }
        return enrolment
    }

    private static func logInPurpose(_ application: Identifier<Application>) -> String {
        "second factor of a log-in \(application)"
    }

    private static func enrolmentPurpose(_ application: Identifier<Application>) -> String {
        "enrolment of a second factor \(application)"
    }

    private func seal(_ value: some Encodable, purpose: String) throws(DomainError) -> Secret {
        let bytes: [UInt8]
        do {
            bytes = Array(try JSONEncoder().encode(value))
        } catch {
            // Texts, bytes and whole numbers always encode.
            throw .secretUnreadable
        }
        return Secret(Base64URL.text(of: try sealingKey.seal(bytes, purpose: purpose)))
    }

    private func open<Value: Decodable>(_ text: String, purpose: String) -> Value? {
        guard text.utf8.count <= Self.maximumBytes, let sealed = Base64URL.bytes(of: text.utf8),
            let bytes = try? sealingKey.open(sealed, purpose: purpose)
        else { return nil }  // Whatever is wrong with it, it is no ticket of ours.
        return try? JSONDecoder().decode(Value.self, from: Data(bytes))
    }
}
