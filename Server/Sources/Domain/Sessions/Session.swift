package import enum OkaeriWire.JSONValue

/// The proof of a finished log-in.
package struct Session: Hashable, Sendable {
    package let id: Identifier<Session>
    package let application: Identifier<Application>
    package let user: Identifier<User>
    /// The thumbprint of the key that opened it, when one did.
    package var deviceKey: String?
    package var device: DeviceDescription
    /// The address that it was last used from.
    package var address: String?
    package var protocolName: ProtocolName
    package var method: LogInMethod
    package let createdAt: Timestamp
    /// When it was last used, to within `SessionActivity.resolution`.
    package var lastUsedAt: Timestamp
    /// When it ends at the latest, however much it is used.
    package var expiresAt: Timestamp
    /// When its owner last proved to be there, in a way that allows what must not happen behind the owner's back
    /// (requirement 18); `nil` when never. See `isFresh`.
    package var authenticatedAt: Timestamp?
    /// How the owner proved it.
    package var methods: AuthenticationMethods
    /// When the second factor was last shown; `nil` when never.
    package var secondFactorAt: Timestamp?
    /// What it came from without another proof, by a ticket or a code of the pages, and ends with: the thumbprint of a device's
    /// key, or the id of a session that had none (decision 0170); `nil` for a log-in of its own.
    package var origin: String?
    /// The session that it came from directly, and ends with; `nil` for a log-in of its own.
    package var parent: Identifier<Session>?
    /// What an app keeps of it, in protocols in which sessions are objects of apps.
    package var fields: [String: JSONValue] = [:]
    /// When these, or its end, were last changed; `nil` when never.
    package var updatedAt: Timestamp?

    /// When a session was opened and used, and when it ends.
    package struct Times: Hashable, Sendable {
        package var createdAt: Timestamp
        package var lastUsedAt: Timestamp
        package var expiresAt: Timestamp
        package var authenticatedAt: Timestamp?

        package init(
            createdAt: Timestamp, lastUsedAt: Timestamp, expiresAt: Timestamp, authenticatedAt: Timestamp? = nil
        ) {
            self.createdAt = createdAt
            self.lastUsedAt = lastUsedAt
            self.expiresAt = expiresAt
            self.authenticatedAt = authenticatedAt
        }
    }

    package init(
        id: Identifier<Session>, application: Identifier<Application>, user: Identifier<User>,
        client: SessionIssuer.Client, protocolName: ProtocolName, method: LogInMethod, times: Times
    ) {
        self.id = id
        self.application = application
        self.user = user
        deviceKey = client.deviceKey
        device = client.device
        address = client.address
        self.protocolName = protocolName
        self.method = method
        createdAt = times.createdAt
        lastUsedAt = times.lastUsedAt
        expiresAt = times.expiresAt
        authenticatedAt = times.authenticatedAt
        methods = method.methods
    }

    /// Whether the session has ended by age or by disuse.
    package func isExpired(at now: Timestamp, idleLifetime: Duration, lastUsedAt: Timestamp) -> Bool {
        SessionExpiry.isOver(at: now, idleLifetime: idleLifetime, lastUsedAt: lastUsedAt, expiresAt: expiresAt)
    }

    /// How long a proof of being there counts (requirement 18: from 5 to 15 minutes).
    package static let freshness: Duration = .seconds(600)

    /// Whether the owner proved to be there within the last ten minutes.
    package func isFresh(at now: Timestamp) -> Bool { Self.counts(authenticatedAt, at: now) }

    /// Whether the second factor was shown within the last ten minutes: what was proved says that two were, and not when.
    package func hasRecentSecondFactor(at now: Timestamp) -> Bool { Self.counts(secondFactorAt, at: now) }

    /// Whether what was shown at a time still counts; `nil` when it never was.
    static func counts(_ shownAt: Timestamp?, at now: Timestamp) -> Bool {
        guard let shownAt else { return false }
        return now < shownAt + freshness
    }

    /// Whether the key that the session belongs to leads to a user: a session may belong to one that does not.
    func isOfKey(of user: User) -> Bool {
        guard let deviceKey else { return false }
        return user.identities.contains { $0.provider == .device && $0.subject == deviceKey }
    }

    /// Whether a request of the session can bring the proof that an application may want of each. One of before it did may have no
    /// key: no proof that it could bring would be right.
    func canProve(in application: Application) -> Bool {
        deviceKey != nil || protocolName != .native || !application.settings.proofRequired
    }

    /// Whether a proof by the session's key shows that a user is there: one whom nothing else could prove, when the key leads
    /// there (decision 0167).
    func isShownByKey(_ user: User) -> Bool {
        isOfKey(of: user) && LogInMethod.automatic.provesPresence(of: user)
    }

    /// The wire format by which a session was opened. An open set.
    package struct ProtocolName: RawRepresentable, Hashable, Sendable {
        package var rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        package static let native = ProtocolName(rawValue: "native")
        /// The hosted pages: a cookie of theirs is no token for any app, and the other way round.
        package static let pages = ProtocolName(rawValue: "pages")
    }

    /// The way of log-in by which a session was opened. An open set.
    package struct LogInMethod: RawRepresentable, Hashable, Sendable {
        package var rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        package static let automatic = LogInMethod(rawValue: "automatic")
        package static let password = LogInMethod(rawValue: "password")
        package static let signUp = LogInMethod(rawValue: "sign-up")
        package static let code = LogInMethod(rawValue: "code")
        package static let merge = LogInMethod(rawValue: "merge")
        package static let transferCode = LogInMethod(rawValue: "transfer-code")
        /// Opened elsewhere, and brought along by an operator.
        package static let importing = LogInMethod(rawValue: "import")
        /// On the hosted pages, within the last ten minutes.
        package static let pages = LogInMethod(rawValue: "pages")
        /// On the hosted pages, longer ago: somebody at the browser pressed a button.
        package static let keptPages = LogInMethod(rawValue: "pages-kept")
        package static let adoption = LogInMethod(rawValue: "adoption")
        /// A further session of an old protocol, which the user made by another one.
        package static let creation = LogInMethod(rawValue: "creation")
        /// Replaces a session of an older kind, or is opened beside one of the present kind.
        package static let upgrade = LogInMethod(rawValue: "upgrade")

        /// Those that open a session by another one of an old protocol, so that they do not say how its user came.
        static let bySession = [adoption] + further
        static let further = [creation, upgrade]

        /// Whether a log-in by it proves that the owner is there. A device key, or a session of a foreign protocol, proves
        /// only that the device is, and a transfer code that somebody has read it, which is enough while there is nothing else that could prove the
        /// user.
        package func provesPresence(of user: User) -> Bool {
            self != .keptPages
                && (user.isAnonymous
                    || ![.automatic, .transferCode, .adoption, .importing].contains(self))
        }
    }
}
