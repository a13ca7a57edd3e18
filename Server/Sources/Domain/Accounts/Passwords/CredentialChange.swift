/// A user's new password, hashed before the transaction that stores it. Every password that a user gets after it was made is
/// written here: by its owner, by a code, by an operator, or as the first one.
struct CredentialChange: Sendable {
    let change: AccountChange
    private let hash: PasswordHash
    /// Whether the password is the user name (requirement 24).
    private let isWeak: Bool

    /// - Parameters:
    ///   - change: The row of the table.
    ///   - new: A password that breaks no rule.
    ///   - user: Whose, as the user will be.
    ///   - passwords: Hashes it.
    /// - Throws: `fieldsRefused` for a password that is known from leaks; `busy`.
    init(
        _ change: AccountChange, to new: NewPassword, of user: User, hashing passwords: any PasswordHashing
    ) async throws(DomainError) {
        self.change = change
        isWeak = new.password.isName(of: user)
        hash = try await passwords.hash(new: new, for: .application(user.application))
    }

    /// Writes the password, and ends the counts of wrong ones.
    ///
    /// - Parameters:
    ///   - user: Whose, as read in this transaction. Changed too.
    ///   - transaction: The one that stores the change.
    ///   - now: When.
    /// - Throws: `storageUnavailable`.
    func write(for user: inout User, in transaction: any Transaction, at now: Timestamp) throws(DomainError) {
        try transaction.setPassword(hash, of: user.id, in: user.application, at: now)
        user.passwordSetAt = now
        user.weakPasswordAt = isWeak ? now : nil
        if isWeak { try transaction.markPassword(of: user.id, in: user.application, weakSince: now) }
        // A first password comes with names for which earlier log-ins were no guesses.
        if change == .upgraded {
            try transaction.forgive(user, from: nil, at: now)
        } else {
            try transaction.forgetFailures(of: user)
        }
    }

    /// Writes the password with what its row demands: other ways in end, the audit log has an entry, the user a mail.
    ///
    /// - Parameters:
    ///   - user: Whose, as read in this transaction. Changed too.
    ///   - ready: What was made ready for the change.
    ///   - kept: What the caller uses.
    ///   - actor: Who did it, when only the transaction finds that out; `nil` for who asked.
    ///   - details: What the audit log says of it beside.
    ///   - transaction: The one that stores the change.
    /// - Returns: how much ended.
    /// - Throws: `accessRefused`, `reauthenticationRequired`, `storageUnavailable`.
    func store(
        for user: inout User, with ready: ReadyChanges, keeping kept: KeptAccess, by actor: AccountActor?,
        noting details: [String: String] = [:], in transaction: any Transaction
    ) throws(DomainError) -> Evicted {
        try write(for: &user, in: transaction, at: ready.now)
        return try ready.settle([change: details], of: &user, keeping: kept, by: actor, in: transaction)
    }
}

/// Makes a new password ready, whatever the protocol in which a session chose it: one client can have as many hashed as it may log in
/// by right ones.
struct PrepareCredential: Sendable {
    let passwords: any PasswordHashing
    /// `nil` for no limit.
    let limits: RightPasswordLimits?

    /// - Parameters:
    ///   - change: The row of the table.
    ///   - new: A password that breaks no rule.
    ///   - user: Whose, as the user will be.
    ///   - author: Who asks. Operators have no limit.
    /// - Returns: the password, hashed.
    /// - Throws: `rateLimited` before anything is hashed; `fieldsRefused` for a password that is known from leaks; `busy`,
    ///   `storageUnavailable`.
    func callAsFunction(
        _ change: AccountChange, to new: NewPassword, of user: User, by author: AccountAuthor
    ) async throws(DomainError) -> CredentialChange {
        if let limits, let (payer, address) = author.payer {
            try await limits.count(payer, in: user.application, from: address)
        }
        return try await CredentialChange(change, to: new, of: user, hashing: passwords)
    }

    /// Counts a password that is hashed, or compared, for who has no session.
    ///
    /// - Throws: `rateLimited` before anything is hashed; `storageUnavailable`.
    func count(_ user: User, from address: ClientAddress) async throws(DomainError) {
        try await limits?.count(user.id, in: user.application, from: address)
    }
}
