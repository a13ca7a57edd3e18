/// A key by which a device logs in automatically, as its owner and operators see it.
package struct DeviceKey: Hashable, Sendable {
    /// The key's thumbprint (RFC 7638), base64url.
    package var thumbprint: String
    /// What the device said of itself at its last log-in; empty when no session of it lives.
    package var device: DeviceDescription
    package var addedAt: Timestamp
    /// When a session that the key opened was last used; `nil` when none of them lives.
    package var lastUsedAt: Timestamp?
}

extension DeviceKey {
    /// A user's device keys, oldest first.
    static func keys(of user: User, sessions: [Session]) -> [DeviceKey] {
        user.identities.filter { $0.provider == .device }.map { identity in
            // Newest first: what the device said last.
            let own = sessions.filter { $0.deviceKey == identity.subject }
            let device = own.first { $0.device.name != nil || $0.device.model != nil }?.device ?? own.first?.device
            return DeviceKey(
                thumbprint: identity.subject, device: device ?? DeviceDescription(), addedAt: identity.linkedAt,
                lastUsedAt: own.map(\.lastUsedAt).max())
        }
    }
}

/// A device key that was taken from its user: a client that sends it gets an error, instead of becoming a new user, which would
/// look as if the account were lost.
package struct RemovedDeviceKey: Hashable, Sendable {
    /// How long it is remembered: as long as a device may sleep in a drawer.
    package static let memory: Duration = .days(400)

    package let application: Identifier<Application>
    package let thumbprint: String
    /// Whom it led to.
    package let user: Identifier<User>
    package let reason: Reason
    package let removedAt: Timestamp

    package init(
        application: Identifier<Application>, thumbprint: String, user: Identifier<User>, reason: Reason,
        removedAt: Timestamp
    ) {
        self.application = application
        self.thumbprint = thumbprint
        self.user = user
        self.reason = reason
        self.removedAt = removedAt
    }

    /// By what it was removed: `password_changed`, `device_key_removed` … An open set, the raw values of `AccountChange`.
    package struct Reason: RawRepresentable, Hashable, Sendable {
        package var rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
    }
}

extension Transaction {
    /// Lets an identity lead to a user, and forgets that it was taken away from somebody before.
    func link(
        _ identity: Identity, to user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) {
        try insert(identity, for: user, in: application)
        if identity.provider == .device { try forgetRemovedDeviceKey(identity.subject, in: application) }
    }
}
