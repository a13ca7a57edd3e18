/// The response to `GET /v1/user/device-keys`.
public struct DeviceKeyListResponse: Codable, Hashable, Sendable {
    /// The keys by which devices log in automatically, oldest first.
    public var deviceKeys: [DeviceKeyBody]

    /// Makes a response.
    public init(deviceKeys: [DeviceKeyBody]) {
        self.deviceKeys = deviceKeys
    }
}

/// A key by which a device logs in automatically.
public struct DeviceKeyBody: Codable, Hashable, Sendable {
    /// The key's thumbprint (RFC 7638), base64url.
    public var thumbprint: String
    /// Whether the session of this request is bound to it; `nil` where the caller is an admin.
    public var isCurrent: Bool?
    /// The device as it described itself at its last log-in, while a session of it lives.
    public var device: DeviceBody?
    /// Since when the key leads to the user.
    public var addedAt: WireTime
    /// When a session of the device was last used; `nil` when none of them lives.
    public var lastUsedAt: WireTime?

    /// Makes a key's description.
    public init(
        thumbprint: String, isCurrent: Bool?, device: DeviceBody?, addedAt: WireTime, lastUsedAt: WireTime?
    ) {
        self.thumbprint = thumbprint
        self.isCurrent = isCurrent
        self.device = device
        self.addedAt = addedAt
        self.lastUsedAt = lastUsedAt
    }
}

/// The response to `DELETE /v1/user/device-keys`.
public struct RemovedDeviceKeysResponse: Codable, Hashable, Sendable {
    /// How many keys were removed.
    public var removed: Int

    /// Makes a response.
    public init(removed: Int) {
        self.removed = removed
    }
}
