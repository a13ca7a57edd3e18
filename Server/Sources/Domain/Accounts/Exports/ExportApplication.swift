/// Takes an application and its users out, a page at a time, whatever their number. It stands in the audit log.
///
/// Each page is one state of the database; pages follow each other in the order of ids, which is that of age, so that no user
/// is missing or comes twice while servers go on.
package struct ExportApplication: Sendable {
    /// How many users are in memory at once.
    package static let pageUsers = 100

    let store: any Store
    let clock: any WallClock
    let sealingKey: SealingKey
    let audit: AuditTrail

    /// What stands for the key of digests; see `ExportedApplication.digestKey`.
    static func digestKey(of key: SealingKey) -> [UInt8] {
        key.digest(of: "digests of short secrets", purpose: "export").bytes
    }

    /// Begins an export.
    ///
    /// - Parameters:
    ///   - id: Which application.
    ///   - takesSecrets: Whether hashes, keys and secrets come along.
    ///   - who: Who does it.
    /// - Returns: the application, and how many users it has.
    /// - Throws: `applicationUnknown`, `secretUnreadable`, `storageUnavailable`.
    package func begin(
        _ id: Identifier<Application>, takesSecrets: Bool, by who: Operator
    ) async throws(DomainError) -> (application: ExportedApplication, users: Int) {
        let digestKey = Self.digestKey(of: sealingKey)
        let entry = audit.draft(.usersExported, by: who.actor, in: id, from: who.origin)
        let found = try await store.write { transaction throws(DomainError) in
            guard let application = try transaction.application(id) else { throw .applicationUnknown }
            var exported = ExportedApplication(application, hasSecrets: takesSecrets, digestKey: digestKey)
            exported.providers = try transaction.providers(of: id)
            exported.protocols = try transaction.protocolKeys(of: id)
            try entry.record(
                on: .application(id), details: ["secrets": takesSecrets ? "yes" : "no"], in: transaction)
            return (application: exported, users: try transaction.userCount(in: id))
        }
        let application =
            takesSecrets ? try found.application.mapSecrets(sealingKey.open) : found.application.withoutSecrets()
        return (application, found.users)
    }

    /// The users behind one, by id.
    ///
    /// - Parameters:
    ///   - application: What `begin` returned.
    ///   - last: The last user of the page before; `nil` for the first page.
    /// - Returns: at most `pageUsers`; none at the end.
    /// - Throws: `secretUnreadable`, `storageUnavailable`.
    package func users(
        of application: ExportedApplication, after last: Identifier<User>?
    ) async throws(DomainError) -> [ExportedUser] {
        let (id, takesSecrets, now) = (application.application.id, application.hasSecrets, clock.now)
        let page = try await store.read { transaction throws(DomainError) in
            var page: [ExportedUser] = []
            let users = try transaction.users(in: id, after: last, limit: Self.pageUsers)
            // What counts once does not count again elsewhere: the device's key came along.
            let used = Set(
                try OldDeviceId.used(among: users.flatMap(\.identities), at: now, in: id, of: transaction)
                    .map(\.subject))
            for user in users {
                var exported = ExportedUser(user: user, credentials: UserCredentials())
                exported.user.identities.removeAll { $0.provider == .anonymous && used.contains($0.subject) }
                for identity in exported.user.identities {
                    let account = try transaction.providerAccount(
                        identity.provider, subject: identity.subject, in: id)
                    if let account { exported.credentials.accounts.append(account) }
                }
                if user.identities.contains(where: { $0.provider == .passkey }) {
                    exported.credentials.passkeys = try transaction.passkeys(of: user.id, in: id)
                }
                let day = try transaction.daySeen(of: user.id, in: id)
                exported.credentials.seenAt = day > 0 ? Timestamp(day: day) : nil
                if takesSecrets {
                    if user.hasPassword { exported.hash = try transaction.passwordHash(of: user.id, in: id) }
                    if user.hasSecondFactor {
                        exported.credentials.factors = try transaction.totpFactors(of: user.id, in: id)
                        exported.credentials.recoveryCodes = try transaction.recoveryCodes(of: user.id, in: id)
                    }
                    exported.credentials.sessions = ExportedSession.kept(
                        of: try transaction.sessionsWithTokens(of: user.id, in: id), at: now)
                }
                page.append(exported)
            }
            return page
        }
        var opened: [ExportedUser] = []
        for var exported in page {
            exported.credentials =
                takesSecrets
                ? try exported.credentials.mapSecrets(sealingKey.open) : exported.credentials.withoutSecrets()
            opened.append(exported)
        }
        return opened
    }
}
