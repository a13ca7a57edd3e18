/// Checks an admin's password and one-time code, both at once.
///
/// The error does not say what is wrong, and an unknown name takes as long (requirement 10). Wrong tries are counted by the name
/// and by the address, as those of users are (requirement 8).
struct AdminCheck: Sendable {
    /// Wrong tries from one address or /64 network, and a hundred times as many from one /48 network.
    private static let failuresPerAddress = AddressLimit(.hourly(30))

    let store: any Store
    let clock: any WallClock
    let passwords: any PasswordHashing
    let secrets: AdminSecrets
    let secondFactor: AdminSecondFactor
    let hasLimits: Bool
    let signOn: AdminSignOnSettings?

    /// What somebody came with.
    struct Attempt: Sendable {
        var name: String
        var password: Secret
        /// A one-time code, or a recovery code in its position.
        var code: String
        var client: ClientAddress
        /// What stands in the audit log of it, right or wrong.
        var entry: AuditDraft
    }

    /// - Parameters:
    ///   - attempt: What somebody came with.
    ///   - settle: What follows in the same transaction. The admin is written afterwards.
    /// - Returns: what `settle` returned, and how many recovery codes are left, when one was used.
    /// - Throws: `credentialRefused`, `rateLimited`, `busy`, `secretUnreadable`, `storageUnavailable`, and what `settle`
    ///   throws.
    func callAsFunction<Value: Sendable>(
        _ attempt: Attempt,
        _ settle: @escaping @Sendable (inout Admin, any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> (value: Value, recoveryCodesLeft: Int?) {
        // What is longer is nobody's name, and not looked at.
        let isName = attempt.name.utf8.count <= Admin.nameRule.maximumBytes && !attempt.name.utf8.contains(0)
        let (now, folded) = (clock.now, isName ? Admin.folded(attempt.name) : "")
        let subject = Admin.failureSubject(folded: folded)
        let counters = Self.failuresPerAddress.counters(of: "admin-log-in", in: AuditEntry.server, from: attempt.client)
        let found = try await store.read { transaction throws(DomainError) in
            guard try !transaction.refusesPasswords(signOn) else { throw .credentialRefused }
            try wait(transaction, subject, counters, at: now)
            return try transaction.admin(named: folded)
        }
        let verdict: PasswordVerdict =
            if let password = Password(attempt.password.revealed) {
                try await passwords.compare(password, with: found?.passwordHash, among: [], for: .admins)
            } else { .refused }
        let proof = try found?.sealedTOTP.map { sealed throws(DomainError) in try secrets.totp(sealed) }
        let (recovery, entry) = (secrets.recoveryDigest(of: attempt.code), attempt.entry)
        let done = try await store.write { transaction throws(DomainError) -> (Value, Int?)? in
            try wait(transaction, subject, [], at: now)
            // An owner may have been linked meanwhile.
            guard try !transaction.refusesPasswords(signOn) else { throw .credentialRefused }
            // Read again: the admin may have been reset or disabled meanwhile.
            if case .accepted(let better) = verdict, let found, var admin = try transaction.admin(found.id),
                admin.passwordHash == found.passwordHash, admin.sealedTOTP == found.sealedTOTP, !admin.isDisabled,
                takes(attempt.code, proof: proof, recovery: recovery, of: &admin, at: now)
            {
                if let better { admin.passwordHash = better }
                let value = try settle(&admin, transaction)
                try transaction.update(admin)
                try transaction.removeFailures(of: subject, in: AuditEntry.server)
                let usedRecovery = admin.recoveryDigests.count < found.recoveryDigests.count
                try entry.record(
                    on: .admin(admin.id), by: .admin(admin.id),
                    details: [
                        "second-factor": admin.lacksAuthenticator ? "none" : usedRecovery ? "recovery-code" : "totp"
                    ], in: transaction)
                return (value, usedRecovery ? admin.recoveryDigests.count : nil)
            }
            let before = try transaction.failures(of: subject, in: AuditEntry.server)
            try transaction.write(.next(after: before, at: now), of: subject, in: AuditEntry.server)
            for (key, limit) in counters { _ = try transaction.count(key, window: limit.window, at: now) }
            try entry.record(on: found.map { .admin($0.id) }, result: .refused, in: transaction)
            return nil
        }
        guard let done else { throw .credentialRefused }
        return done
    }

    private func wait(
        _ transaction: any Transaction, _ subject: SecretDigest, _ counters: [(key: RateLimitKey, limit: RateLimit)],
        at now: Timestamp
    ) throws(DomainError) {
        guard hasLimits else { return }
        for (key, limit) in counters {
            guard let counted = try transaction.counted(key, window: limit.window, at: now) else { continue }
            try limit.admit((counted.count + 1, counted.windowStart), at: now)
        }
        if let wait = try transaction.failures(of: subject, in: AuditEntry.server)?.wait(at: now) {
            throw .rateLimited(retryAfter: wait)
        }
    }

    /// Takes the code when it is right; a step of time, or a recovery code, counts once.
    private func takes(
        _ code: String, proof: TOTP?, recovery: SecretDigest, of admin: inout Admin, at now: Timestamp
    ) -> Bool {
        if admin.lacksAuthenticator { return secondFactor.admits(admin) }
        if let step = proof?.step(of: code, at: now, after: admin.lastTOTPStep) {
            admin.lastTOTPStep = step
            return true
        }
        guard let position = admin.recoveryDigests.firstIndex(of: recovery) else { return false }
        admin.recoveryDigests.remove(at: position)
        return true
    }
}
