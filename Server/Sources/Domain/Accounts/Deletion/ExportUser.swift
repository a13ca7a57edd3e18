/// Everything that is stored about a user, for the user (requirement 45). Not what only proves something: no tokens,
/// hashes or codes.
package struct ExportUser: Sendable {
    /// The most entries of the audit log; older ones are left out.
    package static let maximumAuditEntries = 5000

    let store: any Store
    let clock: any WallClock
    let rateLimiter: RateLimiter
    /// Exports by one session; `nil` for no limit.
    let limit: RateLimit?
    let audit: AuditTrail

    package struct Export: Sendable {
        package var exportedAt: Timestamp
        package var application: Application
        package var user: User
        package var sessions: [Session]
        package var transfers: [Transfer]
        package var passkeys: [Passkey]
        /// What the user did and what was done to the user, newest first.
        package var audit: [AuditEntry]
    }

    /// - Parameters:
    ///   - who: The user.
    ///   - isProven: Whether the request came with a proof by the session's key; see `AccountAuthor`.
    ///   - origin: Where the request came from, for the audit log.
    /// - Returns: the file's content.
    /// - Throws: `reauthenticationRequired`, `rateLimited`, `sessionInvalid` when the user is gone,
    ///   `storageUnavailable`.
    package func callAsFunction(
        by who: Authenticated, isProven: Bool, from origin: RequestOrigin
    ) async throws(DomainError) -> Export {
        let now = clock.now
        try AccountAuthor.owner(who, isProven: isProven, from: origin).requireRecentLogIn(at: now)
        let (id, application) = (who.user.id, who.application)
        if let limit { try await rateLimiter(kind: "export", by: who, limit: limit) }
        let entry = audit.draft(.userExported, by: .user(id), in: application.id, from: origin)
        try await store.write { transaction throws(DomainError) in
            try entry.record(on: .user(id), in: transaction)
            if application.settings.events.isRecorded {
                try transaction.insert(entry.event(.exported, of: id))
            }
        }
        let export = try await store.read { transaction throws(DomainError) -> Export? in
            guard let user = try transaction.user(id, in: application.id) else { return nil }
            return Export(
                exportedAt: now, application: application, user: user,
                sessions: try transaction.sessions(of: id, in: application.id),
                transfers: try transaction.transfers(of: id, in: application.id),
                passkeys: try transaction.passkeys(of: id, in: application.id),
                audit: try transaction.auditEntries(
                    about: id, in: application.id, limit: Self.maximumAuditEntries))
        }
        guard let export else { throw .sessionInvalid }
        return export
    }
}
