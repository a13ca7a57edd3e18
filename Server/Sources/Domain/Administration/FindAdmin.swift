/// Whose a session token or an admin key is. Asked anew at each request, so that what was ended is refused at once.
package struct FindAdmin: Sendable {
    private static let longestToken = 100

    let store: any Store
    let clock: any WallClock
    let secondFactor: AdminSecondFactor
    let recordRefusal: RecordRefusedKey

    /// - Parameters:
    ///   - token: What the request carries.
    ///   - address: The client's address, for keys that are confined to networks; `nil` when nobody who is believed tells it.
    ///   - origin: Where the request came from, for the audit log.
    /// - Returns: who asks.
    /// - Throws: `administration(adminRequired)`, also for a key that is used from elsewhere; `storageUnavailable`.
    package func callAsFunction(
        _ token: Secret?, at address: IPAddress?, from origin: RequestOrigin
    ) async throws(DomainError) -> AdminAccess {
        try await find(token, renewing: nil, at: address, from: origin)
    }

    /// The same for a request whose response goes on for long. An admin who proved to be there again meanwhile has the same
    /// session by another token (`Transaction.renew`).
    ///
    /// - Parameters:
    ///   - before: Who asked at its beginning.
    ///   - token: What the request carries.
    ///   - address: The client's address, for keys that are confined to networks; `nil` when nobody who is believed tells it.
    ///   - origin: Where the request came from, for the audit log.
    /// - Returns: what they may now.
    /// - Throws: `administration(adminRequired)`, also for a session that ended; `storageUnavailable`.
    package func again(
        _ before: AdminAccess, by token: Secret?, at address: IPAddress?, from origin: RequestOrigin
    ) async throws(DomainError) -> AdminAccess {
        try await find(token, renewing: before, at: address, from: origin)
    }

    private func find(
        _ token: Secret?, renewing before: AdminAccess?, at address: IPAddress?, from origin: RequestOrigin
    ) async throws(DomainError) -> AdminAccess {
        guard let token, token.revealed.utf8.count <= Self.longestToken else { throw .administration(.adminRequired) }
        let found =
            token.revealed.hasPrefix(AdminSession.tokenPrefix)
            ? try await session(token.digest, renewing: before) : try await key(token.digest, at: address, from: origin)
        guard let found else { throw .administration(.adminRequired) }
        return found
    }

    private func session(
        _ digest: SecretDigest, renewing before: AdminAccess?
    ) async throws(DomainError) -> AdminAccess? {
        let now = clock.now
        let found = try await store.read { transaction throws(DomainError) -> (AdminSession, Admin)? in
            guard let session = try transaction.session(digest, renewing: before), !session.isOver(at: now),
                let admin = try transaction.admin(session.admin), !admin.isDisabled, secondFactor.admits(admin)
            else { return nil }
            return (session, admin)
        }
        guard let (session, admin) = found else { return nil }
        if now >= session.lastUsedAt + AdminSession.resolution {
            var used = session
            used.lastUsedAt = now
            let noted = used
            try await store.writeStatement { transaction throws(DomainError) in try transaction.noteUse(of: noted) }
        }
        var access = AdminAccess(admin, authenticatedAt: session.authenticatedAt)
        access.sessionCreatedAt = session.createdAt
        return access
    }

    /// What two lists of applications have in common; `nil` stands for all.
    private static func both(
        _ first: Set<Identifier<Application>>?, _ second: Set<Identifier<Application>>?
    ) -> Set<Identifier<Application>>? {
        guard let first, let second else { return first ?? second }
        return first.intersection(second)
    }

    private enum FoundKey: Sendable {
        case access(AdminAccess)
        case usedFromElsewhere(Identifier<AdminKey>)
    }

    private func key(
        _ digest: SecretDigest, at address: IPAddress?, from origin: RequestOrigin
    ) async throws(DomainError) -> AdminAccess? {
        let now = clock.now
        let found = try await store.read { transaction throws(DomainError) -> FoundKey? in
            if let key = try transaction.adminKey(digest) {
                guard now < key.expiresAt, let maker = try transaction.admin(key.maker.id), !maker.isDisabled,
                    secondFactor.admits(maker)
                else { return nil }
                guard key.reach.admits(address) else { return .usedFromElsewhere(key.id) }
                return .access(
                    AdminAccess(
                        holder: .key(key.id), name: key.name,
                        permissions: key.scopes.intersection(maker.role.permissions),
                        applications: Self.both(key.reach.applications, maker.applications)))
            }
            guard let application = try transaction.application(adminKey: digest) else { return nil }
            return .access(
                AdminAccess(
                    holder: .applicationKey(application.id), name: application.name,
                    permissions: AdminRole.operator.permissions, applications: [application.id]))
        }
        switch found {
        case nil: return nil
        case .access(let access): return access
        case .usedFromElsewhere(let id):
            try await recordRefusal(of: id, at: address, from: origin)
            return nil
        }
    }
}

/// Writes into the audit log that a key was used from outside of its networks: once an hour for each address or /48
/// network, and for ten of them, so that nobody who has a key floods the log with it.
struct RecordRefusedKey: Sendable {
    private static let perAddress = RateLimit.hourly(1)
    private static let perKey = RateLimit.hourly(10)

    let store: any Store
    let clock: any WallClock
    let audit: AuditTrail

    /// - Throws: `storageUnavailable`.
    func callAsFunction(
        of key: Identifier<AdminKey>, at address: IPAddress?, from origin: RequestOrigin
    ) async throws(DomainError) {
        let now = clock.now
        let counters = [
            (Self.counter("\(key) \(address.map { ClientAddress($0).ownerGroup } ?? "")"), Self.perAddress),
            (Self.counter(key.rawValue), Self.perKey),
        ]
        let entry = audit.draft(.adminKeyUsed, by: .unknown, in: AuditEntry.server, from: origin)
        // Most are counted out already, and writing costs more than reading.
        let isNew = try await store.read { transaction throws(DomainError) in
            try transaction.hasRoom(counters, at: now)
        }
        guard isNew else { return }
        try await store.write { transaction throws(DomainError) in
            guard try transaction.hasRoom(counters, at: now) else { return }
            for (counter, limit) in counters { _ = try transaction.count(counter, window: limit.window, at: now) }
            try entry.record(on: .adminKey(key), result: .refused, in: transaction)
        }
    }

    private static func counter(_ subject: String) -> RateLimitKey {
        RateLimitKey(application: AuditEntry.server, kind: "admin-key-elsewhere", subject: subject)
    }
}

extension Transaction {
    /// The session of a token, or the one that somebody had before, by the token that it has now.
    fileprivate func session(
        _ digest: SecretDigest, renewing before: AdminAccess?
    ) throws(DomainError) -> AdminSession? {
        if let session = try adminSession(digest) { return session }
        guard let before, let admin = before.admin, let createdAt = before.sessionCreatedAt else { return nil }
        return try adminSession(of: admin.id, createdAt: createdAt)
    }

    fileprivate func hasRoom(
        _ counters: [(RateLimitKey, RateLimit)], at now: Timestamp
    ) throws(DomainError) -> Bool {
        for (counter, limit) in counters {
            let count = try counted(counter, window: limit.window, at: now)?.count ?? 0
            guard count < limit.maximum else { return false }
        }
        return true
    }
}
