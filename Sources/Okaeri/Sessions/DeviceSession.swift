public import Foundation
import OkaeriWire

/// One of the user's log-ins, on this device or another.
public struct DeviceSession: Hashable, Sendable, Identifiable {
    /// The session's id.
    public let id: String
    /// Whether it is the session of this client.
    public var isCurrent: Bool
    /// The device as it described itself.
    public var device: DeviceInfo
    /// The network address that it was last used from.
    public var address: String?
    /// The protocol that opened it: `native`, `ncmb`, `parse` … An open set.
    public var `protocol`: String
    /// The way of log-in: `automatic`, `password` … An open set.
    public var createdWith: String
    /// When it was opened.
    public var createdAt: Date
    /// When it was last used, within five minutes.
    public var lastUsedAt: Date
    /// When it ends at the latest.
    public var expiresAt: Date

    init(_ body: SessionBody) {
        id = body.id
        isCurrent = body.isCurrent
        device = DeviceInfo(
            name: body.device?.name, model: body.device?.model, system: body.device?.system,
            appVersion: body.device?.appVersion)
        address = body.address
        `protocol` = body.protocol
        createdWith = body.createdWith
        createdAt = Date(body.createdAt)
        lastUsedAt = Date(body.lastUsedAt)
        expiresAt = Date(body.expiresAt)
    }
}

/// A key by which one of the user's devices logs in automatically.
public struct RegisteredDeviceKey: Hashable, Sendable, Identifiable {
    /// The key's thumbprint (RFC 7638).
    public let thumbprint: String
    /// Whether it is the key of this client's session.
    public var isCurrent: Bool
    /// The device as it described itself at its last log-in; empty when it is not logged in.
    public var device: DeviceInfo
    /// Since when the key leads to the user.
    public var addedAt: Date
    /// When the device was last used; `nil` when it is not logged in.
    public var lastUsedAt: Date?

    /// The thumbprint.
    public var id: String { thumbprint }

    init(_ body: DeviceKeyBody) {
        thumbprint = body.thumbprint
        isCurrent = body.isCurrent ?? false
        device = DeviceInfo(
            name: body.device?.name, model: body.device?.model, system: body.device?.system,
            appVersion: body.device?.appVersion)
        addedAt = Date(body.addedAt)
        lastUsedAt = body.lastUsedAt.map(Date.init(_:))
    }
}
