/// Logs an admin in by name, password and one-time code, all in one request.
///
/// What is wrong is not told, and an unknown name takes as long (requirement 10). Wrong tries are counted by the name
/// and by the address, as those of users are (requirement 8).
package struct LogInAdmin: Sendable {
    /// Wrong tries from one address or /64 network.
    package static let failuresPerAddress = RateLimit(maximum: 30, window: .seconds(3600))

    let store: any Store
    let clock: any WallClock
    let passwords: any PasswordHashing
    let secrets: AdminSecrets
    let audit: AuditTrail
    let hasLimits: Bool

    package struct Request: Sendable {
        package var name: String
        package var password: Secret
        /// A one-time code, or a recovery code in its place.
        package var code: String

        package init(name: String, password: Secret, code: String) {
            self.name = name
            self.password = password
            self.code = code
        }
    }

    package struct Done: Sendable {
        package var admin: Admin
        package var token: Secret
        package var expiresAt: Timestamp
        /// How many recovery codes are left, when one was used.
        package var recoveryCodesLeft: Int?
    }

    /// - Throws: `credentialRefused`, `rateLimited`, `busy`, `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(
        _ request: Request, from client: ClientAddress, origin: RequestOrigin
    ) async throws(DomainError) -> Done {
        let (now, folded) = (clock.now, Admin.folded(String(request.name.filter { $0 != "\0" }.prefix(200))))
        let subject = SecretDigest(of: "admin:\(folded)".utf8)
        let address = RateLimitKey(
            application: AuditEntry.server, kind: "admin-log-in", subject: client.allowanceGroup)
        let found = try await store.read { transaction throws(DomainError) in
            try wait(transaction, subject, address, at: now)
            return try transaction.admin(named: folded)
        }
        let verdict: PasswordVerdict =
            if let password = Password(request.password.revealed) {
                try await passwords.compare(password, with: found?.passwordHash)
            } else { .refused }
        let proof = try found?.sealedTOTP.map { sealed throws(DomainError) in try secrets.timeCode(sealed) }
        let (recovery, token) = (secrets.recoveryDigest(of: request.code), AdminSession.newToken(secrets.randomness))
        let entry = audit.draft(.adminLoggedIn, by: .unknown, in: AuditEntry.server, from: origin)
        let done = try await store.write { transaction throws(DomainError) -> Done? in
            try wait(transaction, subject, nil, at: now)
            // Read again: the admin may have been reset or disabled meanwhile.
            if case .accepted(let better) = verdict, let found, var admin = try transaction.admin(found.id),
                admin.passwordHash == found.passwordHash, admin.sealedTOTP == found.sealedTOTP, !admin.isDisabled,
                Self.takes(request.code, proof: proof, recovery: recovery, of: &admin, at: now)
            {
                if let better { admin.passwordHash = better }
                admin.lastLogInAt = now
                try transaction.update(admin)
                try transaction.removeFailures(of: subject, in: AuditEntry.server)
                try transaction.insert(
                    AdminSession(digest: token.digest, admin: admin.id, createdAt: now, lastUsedAt: now))
                let usedRecovery = admin.recoveryDigests.count < found.recoveryDigests.count
                try entry.record(
                    on: .admin(admin.id), by: .admin(admin.id),
                    details: ["second-factor": usedRecovery ? "recovery-code" : "totp"], in: transaction)
                return Done(
                    admin: admin, token: token, expiresAt: now + AdminSession.lifetime,
                    recoveryCodesLeft: usedRecovery ? admin.recoveryDigests.count : nil)
            }
            let before = try transaction.failures(of: subject, in: AuditEntry.server)
            try transaction.write(.next(after: before, at: now), of: subject, in: AuditEntry.server)
            _ = try transaction.count(address, window: Self.failuresPerAddress.window, at: now)
            try entry.record(on: found.map { .admin($0.id) }, result: .refused, in: transaction)
            return nil
        }
        guard let done else { throw .credentialRefused }
        return done
    }

    private func wait(
        _ transaction: any Transaction, _ subject: SecretDigest, _ address: RateLimitKey?, at now: Timestamp
    ) throws(DomainError) {
        guard hasLimits else { return }
        let limit = Self.failuresPerAddress
        if let address, let counted = try transaction.counted(address, window: limit.window, at: now),
            counted.count >= limit.maximum
        {
            throw .rateLimited(retryAfter: counted.windowStart + limit.window - now)
        }
        if let wait = try transaction.failures(of: subject, in: AuditEntry.server)?.wait(at: now) {
            throw .rateLimited(retryAfter: wait)
        }
    }

    /// Takes the code when it is right; a step of time, or a recovery code, counts once.
    private static func takes(
        _ code: String, proof: TimeCode?, recovery: SecretDigest, of admin: inout Admin, at now: Timestamp
    ) -> Bool {
        if let step = proof?.step(of: code, at: now, after: admin.lastTOTPStep) {
            admin.lastTOTPStep = step
            return true
        }
        guard let place = admin.recoveryDigests.firstIndex(of: recovery) else { return false }
        admin.recoveryDigests.remove(at: place)
        return true
    }
}

/// Ends an admin's session.
package struct LogOutAdmin: Sendable {
    let store: any Store
    let audit: AuditTrail

    /// - Throws: `storageUnavailable`.
    package func callAsFunction(_ token: Secret, by access: AdminAccess, from origin: RequestOrigin)
        async throws(DomainError)
    {
        let entry = audit.draft(.adminLoggedOut, by: access.actor, in: AuditEntry.server, from: origin)
        try await store.write { transaction throws(DomainError) in
            try transaction.removeAdminSession(token.digest)
            try entry.record(on: access.admin.map { .admin($0.id) }, in: transaction)
        }
    }
}
