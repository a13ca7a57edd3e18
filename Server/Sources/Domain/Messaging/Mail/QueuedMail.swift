import Foundation

/// A mail in the queue. What it says, and to whom, is sealed.
package struct QueuedMail: Hashable, Sendable {
    package let id: Identifier<QueuedMail>
    package let application: Identifier<Application>
    package var kind: MailKind
    /// The sealed `MailPayload`; `nil` once the mail was given up and is of no use any more.
    package var sealed: [UInt8]?
    package let createdAt: Timestamp
    /// From then on it is of no use.
    package var expiresAt: Timestamp
    /// How often sending it was begun.
    package var attempts = 0
    /// When it is sent, or tried again; `nil` once it was given up.
    package var nextTryAt: Timestamp?
    /// Under which claim a node took it, while it is sent or after it was given up; only by that one does it change.
    package var claim: String?
    /// Why the last try failed.
    package var lastFault: String?

    package init(
        id: Identifier<QueuedMail>, application: Identifier<Application>, kind: MailKind, sealed: [UInt8]?,
        createdAt: Timestamp, expiresAt: Timestamp, nextTryAt: Timestamp?
    ) {
        self.id = id
        self.application = application
        self.kind = kind
        self.sealed = sealed
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.nextTryAt = nextTryAt
    }

    /// Where a mail stands in the queue's table.
    package struct Position: Hashable, Sendable {
        package let application: Identifier<Application>
        package let id: Identifier<QueuedMail>

        package init(application: Identifier<Application>, id: Identifier<QueuedMail>) {
            self.application = application
            self.id = id
        }
    }
}

/// What a queued mail holds.
package enum MailPayload: Hashable, Codable, Sendable {
    /// Somebody asked for a mail. Whether there is anybody to send it to is found out when it is sent, so that asking
    /// for one costs the same for known and unknown addresses (requirement 10).
    case request(MessageRequest)
    /// A mail to send.
    case rendered(RenderedMessage)

    /// As they stand in stored mails.
    private enum CodingKeys: String, CodingKey {
        case request = "errand"
        case rendered = "letter"
    }
}

/// A mail that somebody asked for.
package struct MessageRequest: Hashable, Codable, Sendable {
    package var kind: MailKind
    /// The mail address or phone number, as it is looked up.
    package var address: String
    /// Whose address shall be verified.
    package var user: String?
    /// The address of the same kind that this user had then.
    package var replaces: String?
    /// Whether the address must be a verified one.
    package var wantsVerified: Bool?
    /// Whether the address may be the name of a user who has none.
    package var mayBeName: Bool?
    /// What the person's app or browser prefers, for users who have no language of their own.
    package var languages: [String]
    /// What the response returned to the caller; the code is good only together with it.
    package var ticket: String?
    /// The user's `credentialsVersion` then: the mail is not written once it is another one.
    package var version: Int64?
    /// Whether the user had a second factor then, and so has shown it for another address.
    package var hasSecondFactor: Bool?
    /// In what session it was asked for; see `Session.originOfOrders`.
    package var session: String?
    /// Whether the code is there already, and this message only says it: see `VerificationCodes`.
    package var isCodeKept: Bool?
    /// Where this server's own pages for the application are, when the mail shall lead there.
    package var pages: String?

    package init(
        kind: MailKind, address: String, user: Identifier<User>? = nil, replaces: String? = nil, languages: [String],
        ticket: Secret? = nil
    ) {
        self.kind = kind
        self.address = address
        self.user = user?.rawValue
        self.replaces = replaces
        self.languages = languages
        self.ticket = ticket?.revealed
    }

    /// What verifies an address of a user: the present one or another.
    ///
    /// - Parameters:
    ///   - kind: `emailVerification` or `phoneVerification`.
    ///   - address: Which.
    ///   - user: Whose.
    ///   - session: The session in which it is asked for; `nil` for a server or an operator.
    ///   - languages: What the person's app or browser prefers.
    package init(kind: MailKind, address: String, of user: User, by session: Session?, languages: [String]) {
        self.init(
            kind: kind, address: address, user: user.id, replaces: user.identifier(kind.addressKind),
            languages: languages)
        version = user.credentialsVersion
        if user.hasSecondFactor { hasSecondFactor = true }
        self.session = session?.originOfOrders(by: user)
    }
}

/// Makes mails ready for the queue, before the transaction that puts them there.
package struct MailSealing: Sendable {
    package let key: SealingKey
    package let randomness: any Randomness

    package init(key: SealingKey, randomness: any Randomness) {
        self.key = key
        self.randomness = randomness
    }

    /// A mail that is sent as soon as it is in the queue, with an id that was drawn before or is drawn now.
    ///
    /// - Throws: `secretUnreadable`, should the cryptographic library fail.
    package func queued(
        _ payload: MailPayload, of kind: MailKind, in application: Identifier<Application>, at now: Timestamp,
        life: Duration, as drawn: Identifier<QueuedMail>? = nil
    ) throws(DomainError) -> QueuedMail {
        let id = drawn ?? randomness.newIdentifier(at: now)
        return QueuedMail(
            id: id, application: application, kind: kind, sealed: try seal(payload, id: id, in: application),
            createdAt: now, expiresAt: now + life, nextTryAt: now)
    }

    /// - Throws: `secretUnreadable`, should the cryptographic library fail.
    package func seal(
        _ payload: MailPayload, id: Identifier<QueuedMail>, in application: Identifier<Application>
    ) throws(DomainError) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = Array(try JSONEncoder().encode(payload))
        } catch {
            throw .secretUnreadable
        }
        return try key.seal(bytes, purpose: Self.purpose(id, application))
    }

    /// - Throws: `secretUnreadable` when the mail was sealed under another key, or is damaged.
    package func open(_ mail: QueuedMail) throws(DomainError) -> MailPayload {
        guard let sealed = mail.sealed else { throw .secretUnreadable }
        let bytes = try key.open(sealed, purpose: Self.purpose(mail.id, mail.application))
        do {
            return try JSONDecoder().decode(MailPayload.self, from: Data(bytes))
        } catch {
            throw .secretUnreadable
        }
    }

    static func purpose(_ id: Identifier<QueuedMail>, _ application: Identifier<Application>) -> String {
        "mail \(application) \(id)"
    }
}
