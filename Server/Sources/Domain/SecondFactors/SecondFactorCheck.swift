/// Compares what somebody shows as the second factor, in the transaction that acts on it. Wrong ones are counted as wrong
/// passwords are (requirements 8 and 9), but apart: those of the user's own devices and sessions, and those of strangers, who may
/// know the password (decision 0180).
struct SecondFactorCheck: Sendable {
    /// Tries from one address or /64 network, beside the delays that failures bring.
    private static let triesForClient = AddressLimit(.hourly(60))
    /// Wrong ones in a row of one user from one address or /48 network that has no device or session of the user; all such
    /// together have `LogInFailures.maximum`.
    static let failuresOfStranger = 20

    let sealingKey: SealingKey
    let rateLimiter: RateLimiter
    let hasLimits: Bool
    let recoveryCodes: UserRecoveryCodes
    /// Whether wrong ones make the next try wait.
    let hasDelays: Bool

    /// What somebody shows.
    enum Shown: Sendable {
        /// The code of an authenticator app, as typed.
        case totp(String)
        case recoveryCode(String)

        var factor: SecondFactorChallenge.Factor {
            switch self {
            case .totp: .totp
            case .recoveryCode: .recoveryCode
            }
        }

        /// For the name of an attempt.
        var bytes: [UInt8] {
            switch self {
            case .totp(let code): Array("totp \(code)".utf8)
            case .recoveryCode(let code): Array("recovery \(code)".utf8)
            }
        }
    }

    /// From where it is shown.
    enum Source: Sendable {
        /// A session of the user, or a device whose key leads to the user.
        case known
        case stranger(ClientAddress)
    }

    /// Counts a try of an address.
    ///
    /// - Throws: `rateLimited`, `storageUnavailable`.
    func count(from address: ClientAddress, in application: Identifier<Application>) async throws(DomainError) {
        guard hasLimits else { return }
        try await rateLimiter(kind: "second-factor", in: application, from: address, limit: Self.triesForClient)
    }

    /// - Returns: whether it holds; it counts once. When it does not, the transaction must be committed, or the failure
    ///   would not count.
    /// - Throws: `rateLimited`, `secretUnreadable`, `storageUnavailable`.
    func callAsFunction(
        _ shown: Shown, of user: User, from source: Source, in transaction: any Transaction, at now: Timestamp
    ) throws(DomainError) -> Bool {
        var rows: [(counter: Counter, failures: LogInFailures?)] = []
        for counter in source.counters(of: user.id) {
            rows.append((counter, try transaction.failures(of: counter.subject, in: user.application)))
        }
        let waits = rows.compactMap { counter, failures in
            failures?.wait(at: now, free: counter.free, maximum: counter.maximum)
        }
        if hasDelays, let wait = waits.max() { throw .rateLimited(retryAfter: wait) }
        let isRight = try takes(shown, of: user, in: transaction, at: now)
        for (counter, failures) in rows {
            if !isRight {
                try transaction.write(.next(after: failures, at: now), of: counter.subject, in: user.application)
            } else if failures != nil {
                try transaction.removeFailures(of: counter.subject, in: user.application)
            }
        }
        return isRight
    }

    private func takes(
        _ shown: Shown, of user: User, in transaction: any Transaction, at now: Timestamp
    ) throws(DomainError) -> Bool {
        switch shown {
        case .recoveryCode(let typed):
            let digest = recoveryCodes.digest(of: typed, of: user.id, in: user.application)
            return try transaction.removeRecoveryCode(digest, of: user.id, in: user.application)
        case .totp(let typed):
            for var factor in try transaction.totpFactors(of: user.id, in: user.application) {
                let totp = try totp(of: factor)
                guard let step = totp.step(of: typed, at: now, after: factor.lastStep) else { continue }
                factor.lastStep = step
                factor.lastUsedAt = now
                try transaction.update(factor)
                return true
            }
            return false
        }
    }

    private func totp(of factor: TOTPFactor) throws(DomainError) -> TOTP {
        TOTP(key: try sealingKey.open(factor.sealedKey, purpose: TOTPFactor.purpose(factor.user, factor.application)))
    }
}

extension TOTPFactor {
    /// What its key is sealed for.
    package static func purpose(_ user: Identifier<User>, _ application: Identifier<Application>) -> String {
        "okaeri user totp \(application) \(user)"
    }
}

extension SecondFactorCheck {
    /// A row of failures.
    fileprivate struct Counter {
        let subject: SecretDigest
        /// Failures that cost no waiting.
        var free = LogInFailures.free
        /// With so many the next try is a day away.
        var maximum = LogInFailures.maximum

        init(_ text: String) { subject = SecretDigest(of: text.utf8) }
    }
}

extension SecondFactorCheck.Source {
    /// The rows in which a failure is counted, each of which may make the next try wait. A stranger waits for the own failures
    /// alone until all strangers together have used up theirs.
    fileprivate func counters(of user: Identifier<User>) -> [SecondFactorCheck.Counter] {
        switch self {
        case .known: return [SecondFactorCheck.Counter("second-factor-known:\(user)")]
        case .stranger(let client):
            var own = SecondFactorCheck.Counter("second-factor-client:\(client.ownerGroup) \(user)")
            own.maximum = SecondFactorCheck.failuresOfStranger
            var all = SecondFactorCheck.Counter("second-factor:\(user)")
            all.free = all.maximum
            return [own, all]
        }
    }
}
