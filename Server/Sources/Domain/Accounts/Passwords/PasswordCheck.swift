/// Compares a password with the one of the user that an identifier leads to, and counts failures: all that log-in,
/// change of password and re-authentication have in common.
///
/// The database is asked twice. What it says after the comparison counts: of a thousand guesses sent at once, those
/// that end after the fifth failure are refused, right or wrong.
///
/// Failures are counted three times: by what was typed, by the user whom that led to, and by the address (requirement
/// 52). What was typed and the address say openly that the next try has to wait, because they are the same for users that
/// do not exist. The user's own count says nothing: a guess that meets it is refused like a wrong one, or a user name
/// that was tried too often would tell which mail address belongs to it.
package struct PasswordCheck: Sendable {
    let store: any Store
    let clock: any WallClock
    let passwords: any PasswordHashing
    /// Wrong passwords from one address or /64 network, and a hundred times as many from one /48 network.
    let failuresPerAddress: AddressLimit
    /// Whether failures make the next try wait.
    let hasDelays: Bool
    /// Of right passwords; `nil` for no limit.
    let limits: RightPasswordLimits?

    /// Whose password it has to be.
    enum Subject: Sendable {
        /// The user that an identifier leads to: what it may mean, the likeliest first; at least one.
        case typed([LogInIdentifier])
        /// The user of a session, who sees the own count.
        case own(User)

        fileprivate var candidates: [LogInIdentifier] {
            switch self {
            case .typed(let candidates): candidates
            case .own(let user): user.typedIdentifiers
            }
        }
    }

    /// Whom an identifier leads to.
    fileprivate struct Found: Hashable, Sendable {
        var user: Identifier<User>
        var hash: PasswordHash?
    }

    /// A finished comparison, to be settled in the transaction that acts on it.
    package struct Outcome: Sendable {
        fileprivate let subject: Subject
        fileprivate let found: Found?
        fileprivate let password: Password?
        fileprivate let verdict: PasswordVerdict
        /// Whether a password of this user could be tried; otherwise none is right.
        let mayTry: Bool
        fileprivate let application: Identifier<Application>
        fileprivate let addressCounters: [(key: RateLimitKey, limit: RateLimit)]
        fileprivate let hasDelays: Bool
        fileprivate let now: Timestamp

        /// Whom the identifier led to, whether or not the password fits.
        package var user: Identifier<User>? { found?.user }

        /// Whether the password did not fit, or might not be tried.
        var isRefused: Bool { verdict == .refused }

        /// Whether it leads to a user with a hash, whose password is known here alone.
        var hasHash: Bool { found?.hash != nil }

        /// The password, unless it is none that anybody can have.
        var typed: Password? { password }
    }

    /// Compares.
    ///
    /// - Parameters:
    ///   - text: The password as typed.
    ///   - subject: Whose it has to be.
    ///   - application: Whose user it is.
    ///   - address: Where the request came from.
    /// - Returns: what `settle` needs.
    /// - Throws: `fieldsRefused` for an identifier that is too long to be anybody's, `rateLimited`, `busy`,
    ///   `storageUnavailable`.
    func callAsFunction(
        _ text: String, of subject: Subject, in application: Identifier<Application>, from address: ClientAddress
    ) async throws(DomainError) -> Outcome {
        guard subject.candidates.allSatisfy({ $0.shown.utf8.count <= LogInIdentifier.maximumBytes }) else {
            let rule = ValidationError.Rule.tooManyBytes(maximum: LogInIdentifier.maximumBytes)
            throw .fieldsRefused([ValidationError(field: "identifier", rule: rule)])
        }
        let now = clock.now
        let addressCounters = failuresPerAddress.counters(
            of: RateLimitKey.passwordFailure, in: application, from: address)
        let (hasDelays, limits) = (hasDelays, limits)
        let known = try await store.read { transaction throws(DomainError) in
            let (found, owners) = try Self.lookUp(transaction, subject, application)
            try limits?.refuseExcess(
                of: subject.candidates.map { owners[$0] }, in: application, from: address, at: now, transaction)
            for (key, limit) in addressCounters {
                let counted = try transaction.counted(key, window: limit.window, at: now)
                if let counted, counted.count >= limit.maximum {
                    throw .rateLimited(retryAfter: counted.windowStart + limit.window - now)
                }
            }
            let mayTry = try Self.mayTry(transaction, subject, found, application, hasDelays: hasDelays, at: now)
            return (found: found, mayTry: mayTry, schemes: try transaction.passwordSchemes(in: application))
        }
        let verdict: PasswordVerdict
        let password = Password(text)
        if let password {
            // What may not be tried now is compared with nothing, which takes as long.
            verdict = try await passwords.compare(
                password, with: known.mayTry ? known.found?.hash : nil, among: known.schemes,
                for: .application(application))
        } else {
            verdict = .refused
        }
        if case .accepted = verdict, let user = known.found?.user {
            try await limits?.count(user, in: application, from: address)
        }
        return Outcome(
            subject: subject, found: known.found, password: password, verdict: verdict,
            mayTry: known.mayTry, application: application, addressCounters: addressCounters, hasDelays: hasDelays,
            now: now)
    }

    /// Asks about all candidates, also after the first that leads to somebody.
    ///
    /// - Returns: the first user that was found, and whom each meaning leads to. An address or number that nobody has proved
    ///   gives way to a user name.
    fileprivate static func lookUp(
        _ transaction: any Transaction, _ subject: Subject, _ application: Identifier<Application>
    ) throws(DomainError) -> (found: Found?, owners: [LogInIdentifier: Identifier<User>]) {
        var (all, owners): ([(meaning: LogInIdentifier, found: Found)], [LogInIdentifier: Identifier<User>]) = ([], [:])
        for meaning in subject.candidates {
            guard let owner = try transaction.passwordHash(of: meaning, in: application) else { continue }
            all.append((meaning, Found(user: owner.user, hash: owner.hash)))
            owners[meaning] = owner.user
        }
        guard let first = all.first else { return (nil, owners) }
        // Nearly never: a user name that is another user's address.
        if first.meaning.kind != .username,
            let named = all.first(where: { $0.meaning.kind == .username && $0.found.user != first.found.user }),
            let holder = try transaction.user(first.found.user, in: application), !holder.hasProved(first.meaning.kind)
        {
            return (named.found, owners)
        }
        return (first.found, owners)
    }

    /// Whether a password may be tried now.
    ///
    /// - Throws: `rateLimited` for what was typed too often; `storageUnavailable`.
    fileprivate static func mayTry(
        _ transaction: any Transaction, _ subject: Subject, _ found: Found?,
        _ application: Identifier<Application>, hasDelays: Bool, at now: Timestamp
    ) throws(DomainError) -> Bool {
        guard hasDelays else { return true }
        var wait: Duration?
        for counter in subject.counters {
            if let more = try transaction.failures(of: counter, in: application)?.wait(at: now) {
                wait = max(wait ?? more, more)
            }
        }
        let owner = subject.counter(of: found?.user)
        let ownWait = try transaction.failures(of: owner, in: application)?.wait(at: now)
        if case .own = subject, let ownWait { wait = max(wait ?? ownWait, ownWait) }
        if let wait { throw .rateLimited(retryAfter: wait) }
        return ownWait == nil
    }
}

extension PasswordCheck.Subject {
    /// Whose failures are counted by what was typed: one of each meaning. A name with and without spaces around it is one.
    fileprivate var counters: [SecretDigest] {
        candidates.reduce(into: []) { counters, meaning in
            let subject = meaning.failureSubject
            if !counters.contains(subject) { counters.append(subject) }
        }
    }

    /// Whose failures are counted by whom that leads to. Nobody has one too: counting must take as long.
    fileprivate func counter(of user: Identifier<User>?) -> SecretDigest {
        user.map { $0.failureSubject } ?? candidates.first?.nobodysFailureSubject ?? SecretDigest(of: "nobody".utf8)
    }
}

extension PasswordCheck.Outcome {
    /// Settles the comparison: counts the failure, or forgets earlier ones and stores a better hash.
    ///
    /// - Parameters:
    ///   - transaction: The one that acts on it.
    ///   - isMeant: Whether the user whose password fits is the one that was meant. Otherwise it is a failure like any
    ///     other, which ends no count.
    /// - Returns: the user when the password fits; `nil` when it does not. Then the transaction must be committed, or
    ///   the failure would not count, and `credentialRefused` be thrown after it.
    /// - Throws: `rateLimited` when others failed meanwhile, `storageUnavailable`.
    func settle(
        in transaction: any Transaction, isMeant: (User) -> Bool
    ) throws(DomainError) -> User? {
        let mayTry = try PasswordCheck.mayTry(
            transaction, subject, found, application, hasDelays: hasDelays, at: now)
        // Found again: the password may have been changed, and the identifier given to somebody else, meanwhile.
        if mayTry, case .accepted(let better) = verdict, let found, let hash = found.hash {
            let again = try PasswordCheck.lookUp(transaction, subject, application)
            if again.found == found, let user = try transaction.user(found.user, in: application), isMeant(user) {
                if let better {
                    try transaction.replacePasswordHash(hash, with: better, of: user.id, in: application, at: now)
                }
                return try accepted(user, owners: again.owners, in: transaction)
            }
        }
        for counter in subject.counters { try count(counter, in: transaction) }
        // A guess that could not be right makes nobody wait longer; it is written all the same, which takes as long.
        try count(subject.counter(of: found?.user), isGuess: mayTry, in: transaction)
        for (key, limit) in addressCounters { _ = try transaction.count(key, window: limit.window, at: now) }
        return nil
    }

    private func accepted(
        _ user: User, owners: [LogInIdentifier: Identifier<User>], in transaction: any Transaction
    ) throws(DomainError) -> User {
        var user = user
        // What leads to somebody else keeps its count.
        for meaning in subject.candidates where (owners[meaning] ?? user.id) == user.id {
            try transaction.forgetFailures(with: meaning, of: user)
        }
        try transaction.forgetFailures(of: user)
        let isWeak = password?.isName(of: user) ?? false
        if isWeak != (user.weakPasswordAt != nil) {
            user.weakPasswordAt = isWeak ? now : nil
            try transaction.markPassword(of: user.id, in: application, weakSince: user.weakPasswordAt)
        }
        return user
    }

    private func count(
        _ counter: SecretDigest, isGuess: Bool = true, in transaction: any Transaction
    ) throws(DomainError) {
        let before = try transaction.failures(of: counter, in: application)
        try transaction.write(
            isGuess ? .next(after: before, at: now) : before ?? .next(after: nil, at: now), of: counter,
            in: application)
    }
}
