/// The binding of admins to their provider: made from an open session or by a one-time link, and ended.
package struct ManageAdminSignOn: Sendable {
    let signOn: AdminSignOn
    let openLink: OpenAdminLink

    /// - Returns: the admin's identity; `nil` without one.
    /// - Throws: `administration(adminRequired)` for a program's key, `storageUnavailable`.
    package func identity(of access: AdminAccess) async throws(DomainError) -> AdminIdentity? {
        let admin = try access.person()
        return try await signOn.store.read { transaction throws(DomainError) in try transaction.identity(of: admin.id) }
    }

    /// The provider's address, from where the admin of a session comes back to be linked.
    ///
    /// - Throws: `administration(adminRequired)`, and what `AdminSignOn.start` throws.
    package func startLink(
        of access: AdminAccess, for browser: AdminSignOn.Browser
    ) async throws(DomainError) -> Secret {
        let admin = try access.person()
        return try await signOn.leave(
            browser, AdminAuthorization(purpose: .link, admin: admin.id.rawValue), name: admin.name, continuation: nil)
    }

    /// Links the admin of a session to the person whom the provider vouches for.
    ///
    /// - Throws: `administration(adminRequired)`, `identityTaken` when it leads to another admin,
    ///   `providerAlreadyLinked` for an admin with another identity, and what `AdminSignOn.logIn` throws.
    package func link(
        _ returned: AdminSignOn.Returned, to access: AdminAccess
    ) async throws(DomainError) {
        let admin = try access.person()
        guard returned.purpose == .link, returned.admin.admin == admin.id.rawValue else { throw .providerRefused }
        let (person, session) = (try await signOn.person(returned, .adminSignOnLinked), access.session)
        try await signOn.settle(returned, person, .adminSignOnLinked) { identity, transaction throws(DomainError) in
            try transaction.requireOpen(session)
            guard let present = try transaction.admin(admin.id), !present.isDisabled else {
                throw .administration(.adminRequired)
            }
            if let known = try transaction.adminIdentity(identity.id) {
                guard known.admin == admin.id else { throw .identityTaken }
                return (admin.id, ())
            }
            guard try transaction.identity(of: admin.id) == nil else { throw .providerAlreadyLinked }
            try transaction.insert(identity.leading(to: admin.id))
            return (admin.id, ())
        }
    }

    /// Ends the binding, and the sessions that it opened, the caller's own too.
    ///
    /// - Throws: `administration(adminRequired)`, `identityUnknown`, `lastWayIn` when neither a password that counts nor a
    ///   passkey is left, `storageUnavailable`.
    package func unlink(_ access: AdminAccess, from origin: RequestOrigin) async throws(DomainError) {
        let (admin, session, settings) = (try access.person(), access.session, signOn.settings)
        let entry = signOn.audit.draft(
            .adminSignOnUnlinked, by: access.actor, in: AuditEntry.server, from: origin)
        try await signOn.store.write { transaction throws(DomainError) in
            try transaction.requireOpen(session)
            guard let present = try transaction.admin(admin.id) else { throw .administration(.adminRequired) }
            guard try transaction.identity(of: admin.id) != nil else { throw .identityUnknown }
            try transaction.removeIdentity(of: admin.id)
            let refusesPasswords = try transaction.refusesPasswords(settings)
            let hasPasskeys = try !transaction.passkeys(of: admin.id).isEmpty
            guard hasPasskeys || present.passwordHash != nil && !refusesPasswords else { throw .lastWayIn }
            try entry.record(on: .admin(admin.id), in: transaction)
        }
    }

    /// The provider's address, from where an invited admin comes back without ever having a password.
    ///
    /// - Parameters:
    ///   - token: Of a link for an admin; a link for a new owner sets a password.
    ///   - browser: Which one goes.
    /// - Returns: where to.
    /// - Throws: `administration(linkRefused)`, and what `OpenAdminLink` and `AdminSignOn.start` throw.
    package func startSetUp(
        _ token: Secret, for browser: AdminSignOn.Browser
    ) async throws(DomainError) -> Secret {
        let opened = try await openLink(token, from: browser.client)
        guard let admin = opened.admin else { throw .administration(.linkRefused) }
        return try await signOn.leave(
            browser,
            AdminAuthorization(
                purpose: .setUp, admin: admin.id.rawValue, link: Base64URL.text(of: opened.link.digest.bytes)),
            name: admin.name, continuation: nil)
    }

    /// Sets an admin up with the provider alone, and logs the admin in. Uses the link up, and ends every other way in
    /// and the API keys that the admin made.
    ///
    /// - Throws: `administration(linkRefused)`, `administration(lastOwner)` when no owner with a password or passkeys would
    ///   be left, `identityTaken`, and what `AdminSignOn.logIn` throws.
    package func setUp(_ returned: AdminSignOn.Returned) async throws(DomainError) -> LogInAdmin.Done {
        guard returned.purpose == .setUp,
            let digest = returned.admin.link.flatMap({ Base64URL.bytes(of: $0.utf8) }).flatMap({
                SecretDigest(stored: $0)
            })
        else { throw .providerRefused }
        let person = try await signOn.person(returned, .adminSetUp)
        let (now, token) = (signOn.clock.now, AdminSession.newToken(signOn.randomness))
        let done = try await signOn.settle(
            returned, person, .adminSetUp, details: { $0.keys == 0 ? [:] : ["keys-ended": String($0.keys)] }
        ) { identity, transaction throws(DomainError) -> (Identifier<Admin>, SetUp)? in
            guard let link = try transaction.adminLink(digest), now < link.expiresAt, let id = link.admin,
                var admin = try transaction.admin(id), !admin.isDisabled, try transaction.remove(link)
            else { throw .administration(.linkRefused) }
            if let known = try transaction.adminIdentity(identity.id), known.admin != id { throw .identityTaken }
            let wasActingOwner = admin.isActingOwner
            let keys = try transaction.removeAllAccess(of: id)
            try transaction.removePasskeys(of: id)
            try transaction.removeIdentity(of: id)
            try transaction.removeFailures(of: admin.failureSubject, in: AuditEntry.server)
            (admin.passwordHash, admin.sealedTOTP, admin.recoveryDigests) = (nil, nil, [])
            admin.usesPasskeysOnly = false
            (admin.updatedAt, admin.lastLogInAt) = (max(now, admin.updatedAt + .milliseconds(1)), now)
            try transaction.update(admin)
            if wasActingOwner { try transaction.requireOwner() }
            let own = identity.leading(to: id)
            try transaction.insert(own)
            let credential = AdminSession.Credential.identity(
                own, authenticatedAt: person.authenticatedAt ?? now - AdminSession.freshness)
            try transaction.insert(
                AdminSession(digest: token.digest, admin: id, createdAt: now, by: credential, at: now))
            let logIn = LogInAdmin.Done(
                admin: admin, token: token, expiresAt: now + AdminSession.lifetime, recoveryCodesLeft: nil)
            return (id, SetUp(logIn: logIn, keys: keys))
        }
        return done.logIn
    }

    /// What came of a link, and how many API keys ended.
    private struct SetUp: Sendable {
        let logIn: LogInAdmin.Done
        let keys: Int
    }
}
