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
            guard let session = try transaction.adminSession(before), !session.isOver(at: now),
                session.admin == present.id
            else { throw .administration(.adminRequired) }
            try transaction.removeAdminSession(before)
            var renewed = AdminSession(digest: fresh.digest, admin: present.id, createdAt: session.createdAt)
            (renewed.lastUsedAt, renewed.authenticatedAt) = (now, now)
            try transaction.insert(renewed)
            return session.createdAt + AdminSession.lifetime
        }
        var renewed = access
        renewed.authenticatedAt = now
        return Done(
            token: fresh, access: renewed, freshUntil: now + AdminSession.freshness, expiresAt: expiresAt,
            recoveryCodesLeft: left)
    }
}
