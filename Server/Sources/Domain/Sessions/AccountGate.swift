/// Whether a user who has just proved to be this one may have a session now. All ways in ask it: log-ins of every kind, the
/// check and the reset of a password, and the renewal of a token.
enum AccountGate {
    /// Whether nothing stands against letting a user in.
    static func isOpen(to user: User) -> Bool { !user.isDisabled && user.deletionRequestedAt == nil }

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
        guard !user.isDisabled else { throw .userDisabled }
        guard let requestedAt = user.deletionRequestedAt else { return user }
        guard let restoration else {
            throw .userDeleted(erasedAt: requestedAt + application.settings.deletionGrace)
        }
        var user = user
        try transaction.restore(&user)
        try restoration.settle(
            [.restored: [:]], of: &user, keeping: .nothing, by: .owner(user.id), in: transaction)
        return user
    }
}
