/// Compares what somebody shows as the second factor, in the transaction that acts on it. Wrong ones are counted for the
/// user as wrong passwords are (requirements 8 and 9): only who has shown the first factor can make the user wait.
struct SecondFactorCheck: Sendable {
    /// Tries from one address or /64 network, beside the delays that a user's failures bring.
    private static let triesForClient = AddressLimit(.hourly(60), ofOldApps: .hourly(60))

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
        _ shown: Shown, of user: User, in transaction: any Transaction, at now: Timestamp
    ) throws(DomainError) -> Bool {
        let counter = user.id.secondFactorSubject
        let failures = try transaction.failures(of: counter, in: user.application)
        if hasDelays, let wait = failures?.wait(at: now) { throw .rateLimited(retryAfter: wait) }
        guard try takes(shown, of: user, in: transaction, at: now) else {
            try transaction.write(.next(after: failures, at: now), of: counter, in: user.application)
            return false
        }
        if failures != nil { try transaction.removeFailures(of: counter, in: user.application) }
        return true
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

extension Identifier<User> {
    /// Stands for the user where wrong second factors are counted.
    fileprivate var secondFactorSubject: SecretDigest { SecretDigest(of: "second-factor:\(rawValue)".utf8) }
}
