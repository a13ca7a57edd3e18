/// Compares a password with the one of the user that an identifier leads to, and counts failures: all that log-in,
/// change of password and re-authentication have in common.
///
/// The database is asked twice. What it says after the comparison counts: of a thousand guesses sent at once, those
/// that end after the fifth failure are refused, right or wrong.
package struct PasswordCheck: Sendable {
    let store: any Store
    let clock: any WallClock
    let passwords: any PasswordHashing
    /// Wrong passwords from one address or /64 network; `nil` for no limit.
    let failuresPerAddress: RateLimit?
    /// Whether failures of one identifier make the next try wait.
    let hasDelays: Bool

    /// Whom an identifier leads to.
    fileprivate struct Found: Hashable, Sendable {
        var user: Identifier<User>
        var hash: PasswordHash?
    }

    /// A finished comparison, to be settled in the transaction that acts on it.
    package struct Outcome: Sendable {
        fileprivate let meanings: [TypedIdentifier]
        fileprivate let found: Found?
        fileprivate let password: Password?
        fileprivate let verdict: PasswordVerdict
        fileprivate let application: Identifier<Application>
        fileprivate let address: RateLimitKey
        fileprivate let addressLimit: RateLimit?
        fileprivate let hasDelays: Bool
        fileprivate let now: Timestamp

        /// Whom the identifier led to, whether or not the password fits.
        package var user: Identifier<User>? { found?.user }
    }

    /// Compares.
    ///
    /// - Parameters:
    ///   - text: The password as typed.
    ///   - meanings: What the identifier may mean, the likeliest first; at least one.
    ///   - application: Whose user it is.
    ///   - address: Where the request came from.
    /// - Returns: what `settle` needs.
    /// - Throws: `fieldsRefused` for an identifier that is too long to be anybody's, `rateLimited`, `busy`,
    ///   `storageUnavailable`.
    package func callAsFunction(
        _ text: String, of meanings: [TypedIdentifier], in application: Identifier<Application>,
        from address: ClientAddress
    ) async throws(DomainError) -> Outcome {
        guard meanings.allSatisfy({ $0.shown.utf8.count <= TypedIdentifier.maximumBytes }) else {
            let rule = FieldFault.Rule.tooManyBytes(maximum: TypedIdentifier.maximumBytes)
            throw .fieldsRefused([FieldFault(field: "identifier", rule: rule)])
        }
        let now = clock.now
        let addressKey = RateLimitKey(
            application: application, kind: "password-failure", subject: address.allowanceGroup)
        let (addressLimit, hasDelays) = (failuresPerAddress, hasDelays)
        let found = try await store.read { transaction throws(DomainError) in
            if let addressLimit {
                let counted = try transaction.counted(addressKey, window: addressLimit.window, at: now)
                if let counted, counted.count >= addressLimit.maximum {
                    throw .rateLimited(retryAfter: counted.windowStart + addressLimit.window - now)
                }
            }
            if hasDelays, let wait = try Self.wait(transaction, meanings, application, at: now) {
                throw .rateLimited(retryAfter: wait)
            }
            return try Self.found(transaction, meanings, application)
        }
        let verdict: PasswordVerdict
        let password = Password(text)
        if let password {
            verdict = try await passwords.compare(password, with: found?.hash)
        } else {
            verdict = .refused
        }
        return Outcome(
            meanings: meanings, found: found, password: password, verdict: verdict, application: application,
            address: addressKey, addressLimit: addressLimit, hasDelays: hasDelays, now: now)
    }

    /// Asks about all meanings, also after the first that leads to somebody.
    fileprivate static func found(
        _ transaction: any Transaction, _ meanings: [TypedIdentifier], _ application: Identifier<Application>
    ) throws(DomainError) -> Found? {
        var found: Found?
        for meaning in meanings {
            let owner = try transaction.passwordHash(of: meaning, in: application)
            if found == nil, let owner { found = Found(user: owner.user, hash: owner.hash) }
        }
        return found
    }

    fileprivate static func wait(
        _ transaction: any Transaction, _ meanings: [TypedIdentifier], _ application: Identifier<Application>,
        at now: Timestamp
    ) throws(DomainError) -> Duration? {
        guard let typed = meanings.first else { return nil }
        return try transaction.failures(of: typed.failureSubject, in: application)?.wait(at: now)
    }
}

extension PasswordCheck.Outcome {
    /// Settles the comparison: counts the failure, or forgets earlier ones and stores a better hash.
    ///
    /// - Returns: the user when the password fits; `nil` when it does not. Then the transaction must be committed, or
    ///   the failure would not count, and `credentialRefused` be thrown after it.
    /// - Throws: `rateLimited` when others failed meanwhile, `storageUnavailable`.
    package func settle(in transaction: any Transaction) throws(DomainError) -> User? {
        guard let typed = meanings.first else { return nil }
        if hasDelays, let wait = try PasswordCheck.wait(transaction, meanings, application, at: now) {
            throw .rateLimited(retryAfter: wait)
        }
        // Found again: the password may have been changed, and the identifier given to somebody else, meanwhile.
        if case .accepted(let better) = verdict, let found, let hash = found.hash,
            try PasswordCheck.found(transaction, meanings, application) == found,
            var user = try transaction.user(found.user, in: application)
        {
            if let better {
                try transaction.replacePasswordHash(hash, with: better, of: user.id, in: application)
            }
            try transaction.removeFailures(of: typed.failureSubject, in: application)
            try transaction.forgetFailures(of: user)
            let isWeak = password?.isName(of: user) ?? false
            if isWeak != (user.weakPasswordAt != nil) {
                user.weakPasswordAt = isWeak ? now : nil
                try transaction.markPassword(of: user.id, in: application, weakSince: user.weakPasswordAt)
            }
            return user
        }
        let before = try transaction.failures(of: typed.failureSubject, in: application)
        try transaction.write(.next(after: before, at: now), of: typed.failureSubject, in: application)
        if let addressLimit { _ = try transaction.count(address, window: addressLimit.window, at: now) }
        return nil
    }
}
