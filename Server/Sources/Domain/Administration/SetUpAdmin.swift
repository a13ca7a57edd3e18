/// Makes a one-time link by which somebody becomes an owner, or an admin sets new credentials.
///
/// What an admin has counts until the link is used, so that nobody is shut out by a link that got lost. Of one who is
/// disabled it ends when the link is made: nothing of before leads in when the admin is let in again to use it.
package struct MakeAdminLink: Sendable {
    let store: any Store
    let clock: any WallClock
    let secrets: AdminSecrets
    let audit: AuditTrail

    package struct Made: Sendable {
        package var token: Secret
        package var expiresAt: Timestamp
    }

    /// - Parameters:
    ///   - id: Whose credentials; `nil` for a new owner, which replaces earlier links for one.
    ///   - who: Who does it.
    /// - Returns: the link's token, returned once.
    /// - Throws: `administration(adminRequired)` for a session that ended meanwhile, `administration(notFound)`,
    ///   `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(
        for id: Identifier<Admin>?, by who: Operator
    ) async throws(DomainError) -> Made {
        let token = Secret(AdminLink.tokenPrefix + Base64URL.text(of: secrets.randomness.bytes(32)))
        let link = AdminLink(
            digest: token.digest, admin: id, sealedTOTP: try secrets.newSealedTOTP(),
            expiresAt: clock.now + AdminLink.lifetime)
        let entry = audit.draft(.adminLinked, by: who.actor, in: AuditEntry.server, from: who.origin)
        try await store.write { transaction throws(DomainError) in
            try transaction.requireOpen(who.session)
            if let id {
                guard let admin = try transaction.admin(id) else { throw .administration(.notFound) }
                try transaction.removeAccess(of: id)
                if admin.isDisabled { try transaction.endCredentials(of: admin) }
            } else {
                try transaction.removeOwnerLinks()
            }
            try transaction.insert(link)
            // A start of the server is no action of anybody.
            if who.actor != .server { try entry.record(on: id.map { .admin($0) }, in: transaction) }
        }
        return Made(token: token, expiresAt: link.expiresAt)
    }
}

extension Transaction {
    /// Ends what an admin logs in with.
    ///
    /// - Throws: `storageUnavailable`.
    fileprivate func endCredentials(of admin: Admin) throws(DomainError) {
        var bare = admin
        (bare.passwordHash, bare.sealedTOTP, bare.recoveryDigests) = (nil, nil, [])
        // Without both an admin is an invited one.
        (bare.usesPasskeysOnly, bare.lastLogInAt) = (false, nil)
        try removePasskeys(of: admin.id)
        try removeIdentity(of: admin.id)
        try update(bare)
    }
}

/// Whether nobody has become an admin yet, so that the server has to show the way.
package struct NeedsFirstAdmin: Sendable {
    let store: any Store
    let secondFactor: AdminSecondFactor

    /// - Throws: `storageUnavailable`.
    package func callAsFunction() async throws(DomainError) -> Bool {
        try await store.read { transaction throws(DomainError) in
            try transaction.hasNoAdmin(secondFactor)
        }
    }
}

extension Transaction {
    /// Whether nobody can log in as an admin yet.
    fileprivate func hasNoAdmin(_ secondFactor: AdminSecondFactor) throws(DomainError) -> Bool {
        try admins().allSatisfy { !secondFactor.isComplete($0) }
    }
}

/// What a link is for, and the key for the authenticator app. Reading it uses nothing up.
package struct OpenAdminLink: Sendable {
    /// Links that are tried from one address or /64 network, right or wrong.
    package static let tries = RateLimit.hourly(60)

    let store: any Store
    let clock: any WallClock
    let secrets: AdminSecrets
    let rateLimiter: RateLimiter
    let secondFactor: AdminSecondFactor
    let hasLimits: Bool

    package struct Opened: Sendable {
        /// `nil` for a new owner, who chooses a name.
        package var admin: Admin?
        package var totp: TOTP
        package var expiresAt: Timestamp
        /// Whether the set-up goes without an authenticator app.
        package var isAuthenticatorOptional: Bool
        let link: AdminLink
    }

    /// - Throws: `administration(linkRefused)`, `rateLimited`, `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(
        _ token: Secret, from client: ClientAddress
    ) async throws(DomainError) -> Opened {
        if hasLimits {
            try await rateLimiter(
                kind: "admin-link", in: AuditEntry.server, from: client, limit: AddressLimit(Self.tries))
        }
        let now = clock.now
        let found = try await store.read { transaction throws(DomainError) -> (AdminLink, Admin?, Bool)? in
            guard let link = try transaction.adminLink(token.digest), now < link.expiresAt else { return nil }
            return (
                link, try link.admin.flatMap { id throws(DomainError) in try transaction.admin(id) },
                try mayGoWithout(link, transaction)
            )
        }
        guard let (link, admin, isOptional) = found, (link.admin == nil) == (admin == nil) else {
            throw .administration(.linkRefused)
        }
        return Opened(
            admin: admin, totp: try secrets.totp(link.sealedTOTP), expiresAt: link.expiresAt,
            isAuthenticatorOptional: isOptional, link: link)
    }

    /// Whether the one who uses the link is the first owner, and may come in without an authenticator app.
    func mayGoWithout(_ link: AdminLink, _ transaction: any Transaction) throws(DomainError) -> Bool {
        guard secondFactor == .optionalForFirstOwner, link.admin == nil else { return false }
        return try transaction.hasNoAdmin(secondFactor)
    }
}

/// Sets an admin's password and one-time codes, and logs the admin in. Uses the link up, and ends every other way in and
/// the API keys that the admin made.
package struct SetUpAdmin: Sendable {
    /// With a second factor beside it (requirement 1).
    package static let minimumCharacters = 12

    let store: any Store
    let clock: any WallClock
    let passwords: any PasswordHashing
    let open: OpenAdminLink
    let secrets: AdminSecrets
    let audit: AuditTrail

    package struct Request: Sendable {
        package var token: Secret
        /// A new owner's name; ignored for an admin who has one.
        package var name: String?
        package var password: Secret?
        /// What the authenticator app shows now; empty for the first owner of a server for development, who has none.
        package var code: String

        package init(token: Secret, name: String?, password: Secret?, code: String) {
            self.token = token
            self.name = name
            self.password = password
            self.code = code
        }
    }

    package struct Done: Sendable {
        package var logIn: LogInAdmin.Done
        /// Returned once. Without an authenticator app there are none.
        package var recoveryCodes: [Secret]
    }

    /// - Throws: `administration(linkRefused)`, `administration(nameTaken)`, `codeRefused` for another
    ///   code than the app shows now, `fieldsRefused` for `name` or `password`; `rateLimited`, `busy`,
    ///   `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(
        _ request: Request, from client: ClientAddress, origin: RequestOrigin
    ) async throws(DomainError) -> Done {
        let opened = try await open(request.token, from: client)
        let (now, typed) = (clock.now, request.name)
        let name = opened.admin?.name ?? typed.map(IdentifierFolding.trimmed)
        var faults = name == nil ? [ValidationError(field: "name", rule: .required)] : []
        faults += Admin.nameRule.faults(of: name, field: "name")
        let goesWithout = opened.isAuthenticatorOptional && request.code.isEmpty
        let step = goesWithout ? 0 : opened.totp.step(of: request.code, at: now, after: 0)
        guard let step else { throw .codeRefused }
        let password = try PasswordRules(minimumCharacters: Self.minimumCharacters, words: [name, "okaeri"])
            .check(request.password, field: "password", beside: faults)
        let hash = try await passwords.hash(new: password, for: .admins)
        var admin =
            opened.admin
            ?? Admin(
                id: secrets.randomness.newIdentifier(at: now), name: name ?? "", role: .owner, applications: nil,
                createdAt: now)
        let (codes, token) = (goesWithout ? [] : secrets.newRecoveryCodes(), AdminSession.newToken(secrets.randomness))
        (admin.passwordHash, admin.lastTOTPStep) = (hash, step)
        admin.sealedTOTP = goesWithout ? nil : opened.link.sealedTOTP
        admin.usesPasskeysOnly = false
        admin.recoveryDigests = codes.map { secrets.recoveryDigest(of: $0.revealed) }
        (admin.updatedAt, admin.lastLogInAt) = (now, now)
        let (made, link) = (admin, opened.link)
        let entry = audit.draft(.adminSetUp, by: .admin(made.id), in: AuditEntry.server, from: origin)
        let done = try await store.write { transaction throws(DomainError) in
            // Another may have become the first owner meanwhile.
            if goesWithout {
                guard try open.mayGoWithout(link, transaction) else { throw .codeRefused }
            }
            guard try transaction.remove(link) else { throw .administration(.linkRefused) }
            var stored = made
            var details = goesWithout ? ["second-factor": "none"] : [:]
            if link.admin == nil {
                guard try transaction.admin(named: made.foldedName) == nil else { throw .administration(.nameTaken) }
                try transaction.insert(made)
            } else {
                // Role and standing are as they are now.
                guard let present = try transaction.admin(made.id), !present.isDisabled else {
                    throw .administration(.linkRefused)
                }
                (stored.role, stored.applications, stored.name) = (present.role, present.applications, present.name)
                // A stranger's passkey, identity or key may be why the link was made.
                let keys = try transaction.removeAllAccess(of: made.id)
                if keys > 0 { details["keys-ended"] = String(keys) }
                try transaction.removePasskeys(of: made.id)
                try transaction.removeIdentity(of: made.id)
                try transaction.removeFailures(of: present.failureSubject, in: AuditEntry.server)
                try transaction.update(stored)
            }
            try transaction.insert(AdminSession(digest: token.digest, admin: made.id, createdAt: now))
            try entry.record(on: .admin(made.id), details: details, in: transaction)
            return LogInAdmin.Done(
                admin: stored, token: token, expiresAt: now + AdminSession.lifetime, recoveryCodesLeft: nil)
        }
        return Done(logIn: done, recoveryCodes: codes)
    }
}
