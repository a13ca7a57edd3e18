/// The response to `GET /v1/user/notices`.
public struct NoticeListResponse: Codable, Hashable, Sendable {
    /// The notices that this device has not seen, oldest first.
    public var notices: [NoticeBody]

    /// Makes a response.
    public init(notices: [NoticeBody]) {
        self.notices = notices
    }
}

/// Something that happened to the user and that its devices should know.
public struct NoticeBody: Codable, Hashable, Sendable {
    /// The notice's id. For `device_added` it is also that of the transfer.
    public var id: String
    /// What happened: `device_added`. An open set.
    public var kind: String
    /// When.
    public var createdAt: WireTime
    /// For `device_added`: the new device as it described itself.
    public var device: DeviceBody?
    /// For `device_added`: the address that it joined from.
    public var address: String?
    /// For `device_added`: until when it can be undone.
    public var undoUntil: WireTime?

    /// Makes a notice.
    public init(
        id: String, kind: String, createdAt: WireTime, device: DeviceBody? = nil, address: String? = nil,
        undoUntil: WireTime? = nil
    ) {
        self.id = id
        self.kind = kind
        self.createdAt = createdAt
        self.device = device
        self.address = address
        self.undoUntil = undoUntil
    }

    /// The kind of a notice that a device joined the user by a transfer code.
    public static let deviceAdded = "device_added"
}
