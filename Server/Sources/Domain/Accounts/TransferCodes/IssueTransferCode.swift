/// Gives a user a transfer code (引き継ぎコード), instead of the one that there was.
package struct IssueTransferCode: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let hash: KeyedHash
    let rateLimiter: RateLimiter
    /// Codes that one session can ask for, and operators for one user; `nil` for no limit.
    let limit: RateLimit?
    let changes: AccountChanges

    package struct Issued: Sendable {
        /// The code as it is shown, this once.
        package var code: Secret
        package var expiresAt: Timestamp
        /// The code as a link into the app, when the application has a pattern for it.
        package var link: Secret?
    }

    /// - Parameters:
    ///   - who: The user.
    ///   - isProven: Whether the request came with a proof by the session's key; see `AccountAuthor`.
    ///   - origin: Where the request came from, for the audit log.
    /// - Returns: the code.
    /// - Throws: `reauthenticationRequired`, `transferUnconfirmed`, `rateLimited`, `sessionInvalid` when the user is on the way out,
    ///   `storageUnavailable`.
    package func callAsFunction(
        by who: Authenticated, isProven: Bool, from origin: RequestOrigin
    ) async throws(DomainError) -> Issued {
        let author = AccountAuthor.owner(who, isProven: isProven, from: origin)
        return try await issue(to: who.user.id, in: who.application, by: author) { limit throws(DomainError) in
            try await rateLimiter(kind: "transfer-code-issue", by: who, limit: limit)
        }
    }

    /// Gives a code out for a user who asks an operator for help.
    ///
    /// - Parameters:
    ///   - user: For whom.
    ///   - whole: The application.
    ///   - who: Who does it.
    /// - Returns: the code, returned once.
    /// - Throws: as above.
    package func callAsFunction(
        to user: Identifier<User>, in whole: Application, by who: Operator
    ) async throws(DomainError) -> Issued {
        try await issue(to: user, in: whole, by: .operator(who)) { limit throws(DomainError) in
            let key = RateLimitKey(application: whole.id, kind: "transfer-code-issue", subject: user.rawValue)
            try await rateLimiter(key, limit: limit)
        }
    }

    private func issue(
        to user: Identifier<User>, in whole: Application, by author: AccountAuthor,
        counting count: (RateLimit) async throws(DomainError) -> Void
    ) async throws(DomainError) -> Issued {
        let (now, application) = (clock.now, whole.id)
        let ready = try changes.audit.ready([.transferCodeIssued], in: application, by: author, at: now)
        if let limit { try await count(limit) }
        let code = TransferCode(randomness)
        let stored = StoredTransferCode(
            application: application, user: user, digest: code.digest(hash, in: application), issuedAt: now)
        try await store.write { transaction throws(DomainError) in
            guard var present = try transaction.user(user, in: application), !present.isDisabled,
                present.deletionRequestedAt == nil
            else { throw .sessionInvalid }
            try transaction.replace(stored)
            try ready.settle([.transferCodeIssued: [:]], of: &present, keeping: .nothing, in: transaction)
        }
        return Issued(
            code: Secret(code.grouped), expiresAt: stored.expiresAt,
            link: whole.settings.usableTransferLink.map {
                Secret($0.replacing(ApplicationSettings.transferCodePlaceholder, with: code.grouped))
            })
    }
}

/// Takes the user's transfer code away, if there is one.
package struct WithdrawTransferCode: Sendable {
    let store: any Store
    let clock: any WallClock
    let changes: AccountChanges

    /// - Throws: `storageUnavailable`. A code that is not there any more is no error.
    package func callAsFunction(by who: Authenticated, from origin: RequestOrigin) async throws(DomainError) {
        let (user, application) = (who.user.id, who.application.id)
        let ready = try changes.audit.ready(
            [.transferCodeWithdrawn], in: application, by: .owner(who, isProven: false, from: origin), at: clock.now)
        try await store.write { transaction throws(DomainError) in
            guard try transaction.removeTransferCode(of: user, in: application) else { return }
            var owner = who.user
            try ready.settle([.transferCodeWithdrawn: [:]], of: &owner, keeping: KeptAccess(who), in: transaction)
        }
    }
}
