/// A code that was mailed, as it is kept: never the code itself, only digests made with the sealing key.
package struct MailedCode: Hashable, Sendable {
    package let application: Identifier<Application>
    /// What the code is looked up by.
    package let handle: SecretDigest
    package let digest: SecretDigest
    package let kind: MailKind
    package let user: Identifier<User>
    /// The mail address that the code was sent to, as it is shown.
    package let address: String
    /// The user's mail address when the code was asked for: the code is void once the user has another one.
    package let replaces: String?
    package let expiresAt: Timestamp
    /// In what session the code was asked for, when it was asked for in one: what the code is good for is done in its name. See
    /// `Session.originOfOrders`.
    package var origin: String?
    /// The attempt that used the code up: its repetition, and nothing else, may use it again.
    package var usedBy: SecretDigest?

    package init(
        application: Identifier<Application>, handle: SecretDigest, digest: SecretDigest, kind: MailKind,
        user: Identifier<User>, address: String, replaces: String?, expiresAt: Timestamp
    ) {
        self.application = application
        self.handle = handle
        self.digest = digest
        self.kind = kind
        self.user = user
        self.address = address
        self.replaces = replaces
        self.expiresAt = expiresAt
    }
}

extension Session {
    /// What an order of the session's is remembered with: the thumbprint of the device's key where that leads to the user, because each
    /// launch of the app opens another session by it; else the session's id. No id is a thumbprint.
    func originOfOrders(by user: User) -> String {
        guard let deviceKey, isOfKey(of: user) else { return id.rawValue }
        return deviceKey
    }
}

extension Transaction {
    /// The session in which something was ordered, or the newest one of its device's key; `nil` when it has ended.
    ///
    /// - Throws: `storageUnavailable`.
    func session(orderingBy origin: String, of user: User) throws(DomainError) -> Session? {
        try sessions(of: user.id, in: user.application).first { $0.id.rawValue == origin || $0.deviceKey == origin }
    }
}

/// The mail address, or phone number, that waits to take the place of a user's present one.
package struct FindPendingAddress: Sendable {
    let store: any Store
    let clock: any WallClock

    /// - Parameters:
    ///   - user: Whose.
    ///   - kind: `emailVerification` or `phoneVerification`.
    /// - Returns: the address; `nil` when no message is under way that could verify another one.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction(
        of user: User, by kind: MailKind
    ) async throws(DomainError) -> String? {
        let mailed = try await store.read { transaction throws(DomainError) in
            try transaction.mailedAddress(of: kind, user: user.id, in: user.application)
        }
        guard let mailed, clock.now < mailed.expiresAt, mailed.address != user.identifier(kind.addressKind) else {
            return nil
        }
        return mailed.address
    }
}
