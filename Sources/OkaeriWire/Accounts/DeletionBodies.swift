/// The response to `DELETE /v1/user`.
public struct DeletionResponse: Codable, Hashable, Sendable {
    /// When everything about the user is erased, unless a log-in restores the user before.
    public var erasedAt: WireTime

    /// Makes a response.
    public init(erasedAt: WireTime) {
        self.erasedAt = erasedAt
    }
}

/// The response to `GET /v1/user/export`: everything that is stored about the user. Nothing that only proves something:
/// no tokens, hashes or codes.
public struct ExportResponse: Codable, Hashable, Sendable {
    /// When this was read.
    public var exportedAt: WireTime
    /// The application's id.
    public var application: String
    /// The user.
    public var user: UserBody
    /// The user's log-ins that have not ended.
    public var sessions: [SessionBody]
    /// Devices that joined by a transfer code.
    public var devicesAdded: [NoticeBody]
    /// The user's passkeys; `nil` from a server that has none yet.
    public var passkeys: [PasskeyBody]?
    /// What the user did and what was done to the user, newest first, as the audit log has it.
    public var log: [LogEntryBody]

    /// Makes a response.
    public init(
        exportedAt: WireTime, application: String, user: UserBody, sessions: [SessionBody], devicesAdded: [NoticeBody],
        passkeys: [PasskeyBody]? = nil, log: [LogEntryBody]
    ) {
        self.exportedAt = exportedAt
        self.application = application
        self.user = user
        self.sessions = sessions
        self.devicesAdded = devicesAdded
        self.passkeys = passkeys
        self.log = log
    }
}

/// One entry of the audit log that is about the user.
public struct LogEntryBody: Codable, Hashable, Sendable {
    /// When it happened.
    public var at: WireTime
    /// Who did it: `user:ID`, `operator`, `server`, `unknown`.
    public var actor: String
    /// What was done: `session.ended`, `transfer-code.issued` … An open set.
    public var action: String
    /// To whom or what.
    public var target: String?
    /// `done` or `refused`.
    public var result: String
    /// The client's address.
    public var address: String?
    /// What the client called itself.
    public var userAgent: String?

    /// Makes an entry.
    public init(
        at: WireTime, actor: String, action: String, target: String?, result: String, address: String?,
        userAgent: String?
    ) {
        self.at = at
        self.actor = actor
        self.action = action
        self.target = target
        self.result = result
        self.address = address
        self.userAgent = userAgent
    }
}
