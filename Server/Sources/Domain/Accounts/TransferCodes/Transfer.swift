/// A transfer code that waits to be redeemed. A user has one at the most.
package struct StoredTransferCode: Hashable, Sendable {
    package static let lifetime: Duration = .days(1)

    package var application: Identifier<Application>
    package var user: Identifier<User>
    /// The code's keyed hash; the code itself is returned once and stored nowhere.
    package var digest: SecretDigest
    package var issuedAt: Timestamp

    package init(
        application: Identifier<Application>, user: Identifier<User>, digest: SecretDigest, issuedAt: Timestamp
    ) {
        self.application = application
        self.user = user
        self.digest = digest
        self.issuedAt = issuedAt
    }

    package var expiresAt: Timestamp { issuedAt + Self.lifetime }
}

/// A device joined a user by a transfer code. The user's other devices get a notice, and can undo it for a day.
package struct Transfer: Hashable, Sendable {
    package static let undoSpan: Duration = .days(1)
    /// The most that are kept of one user, all of which are read at each log-in: as many as devices that can have joined and
    /// still be there.
    package static let maximumPerUser = DeviceKey.maximumPerUser

    package let id: Identifier<Transfer>
    package let application: Identifier<Application>
    package let user: Identifier<User>
    /// The thumbprint of the new device's key.
    package let deviceKey: String
    package internal(set) var device: DeviceDescription
    package internal(set) var address: String?
    package let codeDigest: SecretDigest
    /// The user that the key led to before.
    package let leftUser: Identifier<User>?
    package let redeemedAt: Timestamp
    /// When a device of the user took note of it.
    package var acknowledgedAt: Timestamp?
    package var undoneAt: Timestamp?

    /// The device that joined: its key's thumbprint, how it describes itself, and the address that it asked from.
    package struct NewDevice: Hashable, Sendable {
        let key: String
        let device: DeviceDescription
        let address: String?

        package init(key: String, device: DeviceDescription, address: String?) {
            self.key = key
            self.device = device
            self.address = address
        }
    }

    package init(
        id: Identifier<Transfer>, application: Identifier<Application>, user: Identifier<User>, to device: NewDevice,
        codeDigest: SecretDigest, leftUser: Identifier<User>?, redeemedAt: Timestamp
    ) {
        self.id = id
        self.application = application
        self.user = user
        deviceKey = device.key
        self.device = device.device
        address = device.address
        self.codeDigest = codeDigest
        self.leftUser = leftUser
        self.redeemedAt = redeemedAt
    }

    /// Whether nobody has taken note of it yet, and a session's device should.
    func isNews(to session: Session, of user: User) -> Bool {
        acknowledgedAt == nil && undoneAt == nil && concerns(session, of: user)
    }

    /// The digest of a transfer that came with a merge. No code has it: the one that was redeemed led to the user that went, and
    /// shows nothing of the user that stayed, who may have a second factor (decision 0191).
    package var spentDigest: SecretDigest { SecretDigest(of: "moved transfer \(id.rawValue)".utf8) }

    /// Until when it can be undone.
    package var undoEnd: Timestamp { redeemedAt + Self.undoSpan }

    /// Whether a session is one of the device that joined, or came from one, and no device of before has acknowledged that.
    func isUnconfirmed(by session: Session) -> Bool {
        acknowledgedAt == nil && undoneAt == nil && (session.deviceKey == deviceKey || session.origin == deviceKey)
    }

    /// Whether it is a session's to know of and to undo: one of a device that was there before, or one that was opened
    /// by something that the new device need not have. The new device cannot undo what is done against it, nor can
    /// what it brings in, nor a session that came from it.
    package func concerns(_ session: Session, of user: User) -> Bool {
        guard session.deviceKey != deviceKey, session.origin != deviceKey else { return false }
        if session.createdAt <= redeemedAt { return true }
        if session.showsMoreThanDevice(of: user) { return true }
        return user.identities.contains {
            $0.provider == .device && $0.linkedAt <= redeemedAt
                && ($0.subject == session.deviceKey || $0.subject == session.origin)
        }
    }
}

extension Session {
    /// Whether it was opened by more than a device's key or a transfer code. Of a session that came from the pages, the way
    /// of log-in says nothing: what was proved does, and that something was: a device alone proves nothing of a registered user.
    fileprivate func showsMoreThanDevice(of user: User) -> Bool {
        switch method {
        case .automatic, .transferCode: false
        case .pages, .keptPages: methods.assurance > .device || authenticatedAt != nil && !user.isAnonymous
        default: true
        }
    }
}

extension Authenticated {
    /// Refuses a guest's session of a device that joined by a transfer code, until a device of before has acknowledged the notice
    /// or the day is over in which it can undo the transfer. Until then the key proves that somebody has read the code, and
    /// nothing of the owner (decision 0254).
    ///
    /// - Parameters:
    ///   - user: The session's user, as last read.
    ///   - now: When.
    /// - Throws: `transferUnconfirmed`.
    func requireConfirmed(_ user: User, at now: Timestamp) throws(DomainError) {
        guard let unconfirmedUntil, now < unconfirmedUntil, user.isAnonymous else { return }
        throw .transferUnconfirmed(until: unconfirmedUntil)
    }

    /// Refuses the same as a proof that the owner is there, also where another device has registered the guest since: such a
    /// session was fresh as the guest's.
    ///
    /// - Throws: `transferUnconfirmed`, `reauthenticationRequired`.
    func requireConfirmedPresence(of user: User, at now: Timestamp) throws(DomainError) {
        try requireConfirmed(user, at: now)
        guard let unconfirmedUntil, now < unconfirmedUntil, session.methods.assurance == .device else { return }
        throw .reauthenticationRequired
    }
}
