/// Whether a user who has just proved to be this one may have a session now. All ways in ask it: log-ins of every kind, the
/// check and the reset of a password, and the renewal of a token.
enum AccountGate {
    /// Whether nothing stands against letting a user in.
    static func isOpen(to user: User) -> Bool { !user.isDisabled && user.deletionRequestedAt == nil }

    /// What stands against letting a user in, also for those who can be refused before their proof is complete.
    ///
    /// - Parameters:
    ///   - user: Who proves it.
    ///   - application: Where.
    ///   - isRestored: Whether a user on the way out wishes to come back.
    /// - Throws: `userDisabled`, `userDeleted`.
    static func refuse(_ user: User, of application: Application, isRestored: Bool) throws(DomainError) {
        guard !user.isDisabled else { throw .userDisabled }
        guard let requestedAt = user.deletionRequestedAt, !isRestored else { return }
        throw .userDeleted(erasedAt: requestedAt + application.settings.deletionGrace)
    }

    /// - Parameters:
    ///   - user: Who proved it.
    ///   - application: Where.
    ///   - restoration: Brings the user back from the way out, and stands in the audit log; `nil` when that was not
    ///     wished.
    ///   - transaction: The one that lets the user in.
    /// - Returns: the user, no longer on the way out.
    /// - Throws: `userDisabled`, `userDeleted`, `storageUnavailable`.
    static func admit(
        _ user: User, to application: Application, restoration: ReadyChanges?, in transaction: any Transaction
    ) throws(DomainError) -> User {
        try refuse(user, of: application, isRestored: restoration != nil)
        guard let restoration, user.deletionRequestedAt != nil else { return user }
        var user = user
        try transaction.restore(&user)
        try restoration.settle(
            [.restored: [:]], of: &user, keeping: .nothing, by: .owner(user.id), in: transaction)
        return user
    }
}
