/// Proves again that the admin of a session is there: then the session is fresh for ten minutes, and has a new token
/// (requirements 16, 18). It ends when it would have ended.
package struct ReauthenticateAdmin: Sendable {
    let clock: any WallClock
    let randomness: any Randomness
    let check: AdminCheck
    let audit: AuditTrail

    package struct Done: Sendable {
        /// The only response that has the token. The one before is not valid any more.
        package var token: Secret
        package var access: AdminAccess
        package var freshUntil: Timestamp
        package var expiresAt: Timestamp
        package var recoveryCodesLeft: Int?
    }

    /// - Parameters:
    ///   - password: The admin's.
    ///   - code: A one-time code that was not used before, or a recovery code.
    ///   - token: The session's.
    ///   - access: Whose session it is.
    ///   - client: Where the request came from.
    ///   - origin: The same for the audit log.
    /// - Returns: the session's new token, and what it may.
    /// - Throws: `administration(adminRequired)` for a program's key, which has nothing to prove, and for a session that
    ///   ended meanwhile; `credentialRefused`, `rateLimited`, `busy`, `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(
        password: Secret, code: String, token: Secret, by access: AdminAccess, from client: ClientAddress,
        origin: RequestOrigin
    ) async throws(DomainError) -> Done {
        guard let admin = access.admin else { throw .administration(.adminRequired) }
        let (now, before, fresh) = (clock.now, token.digest, AdminSession.newToken(randomness))
        let entry = audit.draft(.adminReauthenticated, by: access.actor, in: AuditEntry.server, from: origin)
        let (expiresAt, left) = try await check(
            .init(name: admin.name, password: password, code: code, client: client, entry: entry)
        ) { present, transaction throws(DomainError) -> Timestamp in
            try transaction.renew(before, as: fresh.digest, of: present.id, by: .password, at: now)
        }
        return Done(token: fresh, access: access, at: now, expiresAt: expiresAt, recoveryCodesLeft: left)
    }
}

extension ReauthenticateAdmin.Done {
    init(
        token: Secret, access: AdminAccess, at now: Timestamp, expiresAt: Timestamp, recoveryCodesLeft: Int?
    ) {
        self.token = token
        self.access = access
        self.access.authenticatedAt = now
        freshUntil = now + AdminSession.freshness
        self.expiresAt = expiresAt
        self.recoveryCodesLeft = recoveryCodesLeft
    }
}

extension Transaction {
    /// Puts a session that was just proven in the position of the one before.
    ///
    /// - Returns: when it ends.
    /// - Throws: `administration(adminRequired)` for a session that ended meanwhile, `storageUnavailable`.
    func renew(
        _ before: SecretDigest, as fresh: SecretDigest, of admin: Identifier<Admin>,
        by credential: AdminSession.Credential, at now: Timestamp
    ) throws(DomainError) -> Timestamp {
        guard let session = try adminSession(before), !session.isOver(at: now), session.admin == admin else {
            throw .administration(.adminRequired)
        }
        try removeAdminSession(before)
        try insert(
            AdminSession(digest: fresh, admin: admin, createdAt: session.createdAt, by: credential, at: now))
        return session.createdAt + AdminSession.lifetime
    }
}
