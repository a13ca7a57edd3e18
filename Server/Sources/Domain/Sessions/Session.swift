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
    package let expiresAt: Timestamp

    package init(
        id: Identifier<Session>, application: Identifier<Application>, user: Identifier<User>, deviceKey: String?,
        device: DeviceDescription, address: String?, protocolName: ProtocolName, method: LogInMethod,
        createdAt: Timestamp, lastUsedAt: Timestamp, expiresAt: Timestamp
    ) {
        self.id = id
        self.application = application
        self.user = user
        self.deviceKey = deviceKey
        self.device = device
        self.address = address
        self.protocolName = protocolName
        self.method = method
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.expiresAt = expiresAt
    }

    /// Whether the session has ended by age or by disuse.
    package func isExpired(at now: Timestamp, idleLifetime: Duration, lastUsedAt: Timestamp) -> Bool {
        SessionLife.isOver(at: now, idleLifetime: idleLifetime, lastUsedAt: lastUsedAt, expiresAt: expiresAt)
    }

    /// The wire format by which a session was opened. An open set.
    package struct ProtocolName: RawRepresentable, Hashable, Sendable {
        package var rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        package static let native = ProtocolName(rawValue: "native")
    }

    /// The way of log-in by which a session was opened. An open set.
    package struct LogInMethod: RawRepresentable, Hashable, Sendable {
        package var rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        package static let automatic = LogInMethod(rawValue: "automatic")
    }
}

/// A device as it describes itself.
package struct DeviceDescription: Hashable, Sendable {
    package var name: String?
    package var model: String?
    package var system: String?
    package var appVersion: String?

    package static let rule = TextRule(maximumCharacters: 200, mayBeEmpty: true)

    package init(name: String? = nil, model: String? = nil, system: String? = nil, appVersion: String? = nil) {
        self.name = name
        self.model = model
        self.system = system
        self.appVersion = appVersion
    }

    package func faults(field: String) -> [FieldFault] {
        Self.rule.faults(of: name, field: "\(field).name") + Self.rule.faults(of: model, field: "\(field).model")
            + Self.rule.faults(of: system, field: "\(field).system")
            + Self.rule.faults(of: appVersion, field: "\(field).appVersion")
    }
}

/// What the slice asks of storage.
package protocol SessionQueries {
    /// A session and its user by the token's digest, whether or not it has expired.
    func session(
        token: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) -> (session: Session, user: User)?
    /// A user's sessions, newest first.
    func sessions(of user: Identifier<User>, in application: Identifier<Application>) throws(DomainError) -> [Session]
    func insert(_ session: Session, token: SecretDigest, attempt: SessionAttempt?) throws(DomainError)
    /// The session that an attempt opened before, with what it answered.
    func session(
        attempt: SecretDigest, of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> (session: Session, attempt: SessionAttempt)?
    func replaceToken(of session: Session, with token: SecretDigest) throws(DomainError)
    /// Ends one session of a user; `false` when the user has no such session.
    func endSession(
        _ id: Identifier<Session>, of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> Bool
    /// Ends a session whoever's it is, for operators; `false` when there is none.
    func endSession(_ id: Identifier<Session>, in application: Identifier<Application>) throws(DomainError) -> Bool
    /// Ends all of a user's sessions but one; the number that ended.
    func endSessions(
        of user: Identifier<User>, in application: Identifier<Application>, except kept: Identifier<Session>
    ) throws(DomainError) -> Int
    /// Ends the sessions that a device key opened before `limit`, and the oldest ones past `maximum`.
    func endReplacedSessions(
        of user: Identifier<User>, in application: Identifier<Application>, deviceKey: String?,
        openedBefore limit: Timestamp, maximum: Int
    ) throws(DomainError)
    /// Writes when and from where sessions were last used.
    func noteUse(_ uses: [SessionUse]) throws(DomainError)
    /// The lives of sessions in the order of their tokens' digests, for sweeping through all of them by and by.
    func sessionLives(after place: SessionLife?, limit: Int) throws(DomainError) -> [SessionLife]
    /// Removes sessions that were not used since their lives were read.
    func remove(_ sessions: [SessionLife]) throws(DomainError)
}

/// What is kept of an attempt to log in, so that its repetition gets the same answer.
package struct SessionAttempt: Hashable, Sendable {
    package var digest: SecretDigest
    package var isNew: Bool
    package var previousLogInAt: Timestamp?

    package init(digest: SecretDigest, isNew: Bool, previousLogInAt: Timestamp?) {
        self.digest = digest
        self.isNew = isNew
        self.previousLogInAt = previousLogInAt
    }
}

/// A session was used.
package struct SessionUse: Hashable, Sendable {
    package var id: Identifier<Session>
    package var user: Identifier<User>
    package var application: Identifier<Application>
    package var at: Timestamp
    package var address: String?

    package init(
        id: Identifier<Session>, user: Identifier<User>, application: Identifier<Application>, at: Timestamp,
        address: String?
    ) {
        self.id = id
        self.user = user
        self.application = application
        self.at = at
        self.address = address
    }
}

/// How long a session has lived and may live.
package struct SessionLife: Hashable, Sendable {
    package var application: Identifier<Application>
    package var token: SecretDigest
    package var lastUsedAt: Timestamp
    package var expiresAt: Timestamp

    package init(
        application: Identifier<Application>, token: SecretDigest, lastUsedAt: Timestamp, expiresAt: Timestamp
    ) {
        self.application = application
        self.token = token
        self.lastUsedAt = lastUsedAt
        self.expiresAt = expiresAt
    }
    static func isOver(
        at now: Timestamp, idleLifetime: Duration, lastUsedAt: Timestamp, expiresAt: Timestamp
    ) -> Bool {
        now >= expiresAt || now >= lastUsedAt + idleLifetime
    }
}
