extension Transaction {
    /// The user who has just proved to be this one, when nothing stands against letting them in. All ways in ask it:
    /// log-ins of every kind, and the reset of a password.
    ///
    /// - Parameters:
    ///   - user: Who proved it.
    ///   - restoration: Brings the user back from the way out, and tells the audit log; `nil` when that was not wished.
    ///   - application: Where.
    /// - Returns: the user, no longer on the way out.
    /// - Throws: `userDisabled`, `userDeleted`, `storageUnavailable`.
    func admitted(
        _ user: User, restoration: AuditDraft?, in application: Application
    ) throws(DomainError) -> User {
        guard !user.isDisabled else { throw .userDisabled }
        guard let requestedAt = user.deletionRequestedAt else { return user }
        guard let restoration else {
            throw .userDeleted(erasedAt: requestedAt + application.settings.deletionGrace)
        }
        var user = user
        user.deletionRequestedAt = nil
        try updateStanding(of: user)
        try restoration.record(on: .user(user.id), by: .user(user.id), in: self)
        return user
    }
}
