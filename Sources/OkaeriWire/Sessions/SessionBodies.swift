/// The response to `GET /v1/user/sessions`.
public struct SessionListResponse: Codable, Hashable, Sendable {
    /// The live sessions, newest first.
    public var sessions: [SessionBody]

    /// Makes a response.
    public init(sessions: [SessionBody]) {
        self.sessions = sessions
    }
}

/// One of a user's sessions.
public struct SessionBody: Codable, Hashable, Sendable {
    /// The session's id.
    public var id: String
    /// Whether it is the session of this request.
    public var isCurrent: Bool
    /// The device as it described itself at log-in.
    public var device: DeviceBody?
    /// The address that it was last used from.
    public var address: String?
    /// The protocol that opened it: `native`, `ncmb`, `parse` … An open set.
    public var `protocol`: String
    /// The way of log-in: `automatic`, `password` … An open set.
    public var createdWith: String
    /// When it was opened.
    public var createdAt: WireTime
    /// When it was last used, within five minutes.
    public var lastUsedAt: WireTime
    /// When it ends at the latest.
    public var expiresAt: WireTime

    /// What an app of another protocol stored in the session; only in a user's export.
    public var fields: [String: JSONValue]?

    /// Makes a session's description. What is known of the device is set afterwards.
    public init(
        id: String, isCurrent: Bool, protocol: String, createdWith: String, createdAt: WireTime, lastUsedAt: WireTime,
        expiresAt: WireTime
    ) {
        self.id = id
        self.isCurrent = isCurrent
        self.protocol = `protocol`
        self.createdWith = createdWith
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.expiresAt = expiresAt
    }
}

/// The response to `DELETE /v1/user/sessions` and `PUT /v1/user/password`.
public struct EndedSessionsResponse: Codable, Hashable, Sendable {
    /// How many other sessions were ended.
    public var ended: Int
    /// How many device keys were removed; `nil` from servers that removed none.
    public var removedDeviceKeys: Int?

    /// Makes a response.
    public init(ended: Int, removedDeviceKeys: Int? = nil) {
        self.ended = ended
        self.removedDeviceKeys = removedDeviceKeys
    }
}
