/// Whose a session token or an admin key is. Asked anew at each request, so that what was ended is refused at once.
package struct FindAdmin: Sendable {
    private static let longestToken = 100

    let store: any Store
    let clock: any WallClock
    let secondFactor: AdminSecondFactor

    /// - Throws: `administration(adminRequired)`, `storageUnavailable`.
    package func callAsFunction(_ token: Secret?) async throws(DomainError) -> AdminAccess {
        guard let token, token.revealed.utf8.count <= Self.longestToken else { throw .administration(.adminRequired) }
        let found =
            token.revealed.hasPrefix(AdminSession.tokenPrefix)
            ? try await session(token.digest) : try await key(token.digest)
        guard let found else { throw .administration(.adminRequired) }
        return found
    }

    private func session(_ digest: SecretDigest) async throws(DomainError) -> AdminAccess? {
        let now = clock.now
        let found = try await store.read { transaction throws(DomainError) -> (AdminSession, Admin)? in
            guard let session = try transaction.adminSession(digest), !session.isOver(at: now),
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
        return AdminAccess(
            holder: .admin(admin), name: admin.name, permissions: admin.role.permissions,
            applications: admin.applications, authenticatedAt: session.authenticatedAt)
    }

    /// What two lists of applications have in common; `nil` stands for all.
    private static func both(
        _ first: Set<Identifier<Application>>?, _ second: Set<Identifier<Application>>?
    ) -> Set<Identifier<Application>>? {
        guard let first, let second else { return first ?? second }
        return first.intersection(second)
    }

    private func key(_ digest: SecretDigest) async throws(DomainError) -> AdminAccess? {
        let now = clock.now
        return try await store.read { transaction throws(DomainError) -> AdminAccess? in
            if let key = try transaction.adminKey(digest) {
                guard now < key.expiresAt, let maker = try transaction.admin(key.maker.id), !maker.isDisabled,
                    secondFactor.admits(maker)
                else { return nil }
                return AdminAccess(
                    holder: .key(key.id), name: key.name,
                    permissions: key.scopes.intersection(maker.role.permissions),
                    applications: Self.both(key.applications, maker.applications))
            }
            guard let application = try transaction.application(adminKey: digest) else { return nil }
            return AdminAccess(
                holder: .applicationKey(application.id), name: application.name,
                permissions: AdminRole.operator.permissions, applications: [application.id])
        }
    }
}
