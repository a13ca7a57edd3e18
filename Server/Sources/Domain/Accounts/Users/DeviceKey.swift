/// A key by which a device logs in automatically, as its owner and operators see it.
package struct DeviceKey: Hashable, Sendable {
    /// The most keys of one user, guests too. When a further one joins, the one goes that was unused for longest: nobody is
    /// refused on a new device, and no account grows without end (requirement 47).
    package static let maximumPerUser = 50

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
        init(_ change: AccountChange) { self.init(rawValue: change.rawValue) }

        /// The user had more keys than one may have, and this one was unused for longest.
        package static let tooMany = Reason(rawValue: "too_many_device_keys")
    }
}

extension Transaction {
    /// Lets an identity lead to a user, and forgets that it was taken away from somebody before.
    ///
    /// - Throws: `storageUnavailable`.
    func link(
        _ identity: Identity, to user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) {
        try insert(identity, for: user, in: application)
        if identity.provider == .device { try forgetRemovedDeviceKey(identity.subject, in: application) }
    }

    /// Takes from a user the device keys beyond `DeviceKey.maximumPerUser` that were unused for longest, with their sessions. Each
    /// is remembered, so that its device learns why it is out, and all stand in one entry of the audit log. A user of an older
    /// server, with many more, loses them by and by: the work of one call has a bound.
    ///
    /// - Parameters:
    ///   - user: As stored, with the key that has just joined. Changed too.
    ///   - joined: The key that has just joined, which stays; `nil` where the newest of several stay.
    ///   - ready: What they leave (`AuditTrail.excessDeviceKeys`).
    /// - Throws: `storageUnavailable`.
    func removeExcessDeviceKeys(
        of user: inout User, keeping joined: String?, recording ready: ReadyChanges
    ) throws(DomainError) {
        let keys = user.identities.filter { $0.provider == .device }
        let excess = keys.count - DeviceKey.maximumPerUser
        guard excess > 0 else { return }
        let sessions = try sessions(of: user.id, in: user.application)
        var uses: [String: Timestamp] = [:]
        for session in sessions {
            guard let key = session.deviceKey else { continue }
            uses[key] = max(uses[key] ?? session.lastUsedAt, session.lastUsedAt)
        }
        // Identities are in the order in which they were linked, which decides between equals.
        let removable = keys.filter { $0.subject != joined }.enumerated().map { position, key in
            (lastUsedAt: max(key.linkedAt, uses[key.subject] ?? key.linkedAt), position: position, key: key)
        }
        let unused = removable.sorted { ($0.lastUsedAt, $0.position) < ($1.lastUsedAt, $1.position) }
            .prefix(min(excess, DeviceKey.maximumPerUser)).map(\.key)
        try removeDeviceKeys(unused, of: &user, because: .tooMany, recording: ready)
    }

    /// Takes device keys from a user, with their sessions, by the server itself. They stand in one entry of the audit log.
    ///
    /// - Parameters:
    ///   - keys: Of the user's identities.
    ///   - user: As stored. Changed too.
    ///   - reason: What their devices learn at their next log-in.
    ///   - ready: What they leave (`AuditTrail.excessDeviceKeys`).
    /// - Throws: `storageUnavailable`.
    func removeDeviceKeys(
        _ keys: [Identity], of user: inout User, because reason: RemovedDeviceKey.Reason, recording ready: ReadyChanges
    ) throws(DomainError) {
        for identity in try withUsedIds(keys, of: user) {
            try unlinkForGood(identity, of: &user, because: reason, at: ready.now)
        }
        let names = keys.map(\.subject)
        let ended = try endSessions(of: user.id, in: user.application, deviceKeys: Set(names))
        let details = [
            "device-key": names.joined(separator: " "), "count": String(ended), "reason": reason.rawValue,
        ]
        try ready.settle([.deviceKeyRemoved: details], of: &user, keeping: .nothing, in: self)
    }
}
