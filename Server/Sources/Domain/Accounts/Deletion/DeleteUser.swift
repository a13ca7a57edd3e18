/// The user asks to be deleted: all sessions end at once, and when the application's grace period is over the user is
/// erased. A log-in until then says so and can restore the user; see `AccountGate`.
package struct RequestDeletion: Sendable {
    let endAccount: EndAccount

    /// - Parameters:
    ///   - who: The user.
    ///   - isProven: Whether the request came with a proof by the session's key; see `AccountAuthor`.
    ///   - origin: Where the request came from, for the audit log.
    /// - Returns: when the user is erased.
    /// - Throws: `reauthenticationRequired`, `sessionInvalid` when the user is gone, `storageUnavailable`.
    package func callAsFunction(
        by who: Authenticated, isProven: Bool, from origin: RequestOrigin
    ) async throws(DomainError) -> Timestamp {
        let outcome = try await endAccount(
            of: who.user.id, .requested, in: who.application.id, by: .owner(who, isProven: isProven, from: origin))
        guard case .leaving(let since) = outcome else { throw .sessionInvalid }
        return since + who.application.settings.deletionGrace
    }
}

/// An operator deletes a user, with the same grace.
package struct DeleteUser: Sendable {
    let endAccount: EndAccount

    /// - Returns: when the user is erased.
    /// - Throws: `userUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<User>, in application: Application, by who: Operator
    ) async throws(DomainError) -> Timestamp {
        let outcome = try await endAccount(of: id, .deletedByOperator, in: application.id, by: .operator(who))
        guard case .leaving(let since) = outcome else { throw .userUnknown }
        return since + application.settings.deletionGrace
    }
}

/// An operator brings a user back from the way out, before the grace is over. Sessions stay ended.
package struct RestoreUser: Sendable {
    let store: any Store
    let clock: any WallClock
    let changes: AccountChanges

    /// - Returns: the user afterwards; nothing happens to one that is not on the way out.
    /// - Throws: `userUnknown`, also for one that is erased; `storageUnavailable`.
    @discardableResult
    package func callAsFunction(
        _ id: Identifier<User>, in application: Identifier<Application>, by who: Operator
    ) async throws(DomainError) -> User {
        let ready = try changes.drawingMail(
            for: changes.audit.ready([.restored], in: application, by: .operator(who), at: clock.now))
        return try await store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
            guard user.deletionRequestedAt != nil else { return user }
            try transaction.restore(&user)
            try ready.settle([.restored: [:]], of: &user, keeping: .nothing, in: transaction)
            return user
        }
    }
}
