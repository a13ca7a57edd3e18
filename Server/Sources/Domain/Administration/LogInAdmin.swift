/// Logs an admin in by name, password and one-time code, all in one request.
package struct LogInAdmin: Sendable {
    let clock: any WallClock
    let randomness: any Randomness
    let check: AdminCheck
    let audit: AuditTrail

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
        let (now, token) = (clock.now, AdminSession.newToken(randomness))
        let entry = audit.draft(.adminLoggedIn, by: .unknown, in: AuditEntry.server, from: origin)
        let (admin, left) = try await check(
            .init(name: request.name, password: request.password, code: request.code, client: client, entry: entry)
        ) { admin, transaction throws(DomainError) in
            admin.lastLogInAt = now
            try transaction.insert(AdminSession(digest: token.digest, admin: admin.id, createdAt: now))
            return admin
        }
        return Done(
            admin: admin, token: token, expiresAt: now + AdminSession.lifetime, recoveryCodesLeft: left)
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
