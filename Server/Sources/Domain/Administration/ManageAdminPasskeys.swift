import WebAuthn

/// An admin's own passkeys. They belong to the server's own address, whatever an application has.
package struct ManageAdminPasskeys: Sendable {
    let store: any Store
    let clock: any WallClock
    let addPasskey: AddPasskey
    let party: AdminPasskeyParty
    let audit: AuditTrail

    /// - Returns: oldest first.
    /// - Throws: `administration(adminRequired)` for a program's key, `storageUnavailable`.
    package func list(of access: AdminAccess) async throws(DomainError) -> [Passkey] {
        let admin = try access.person()
        return try await store.read { transaction throws(DomainError) in try transaction.passkeys(of: admin.id) }
    }

    /// The origin of the pages that take passkeys; `nil` when the server has no address that passkeys can belong to.
    package var origin: String? { party.origin }

    /// What a browser needs to make a passkey.
    ///
    /// - Throws: `administration(adminRequired)`, `passkeysNotEnabled`, `fieldsRefused` for an admin with as many as one
    ///   can have, `storageUnavailable`.
    package func options(for access: AdminAccess) async throws(DomainError) -> PasskeyRegistrationOptions {
        let (admin, party) = (try access.person(), try party())
        let present = try await list(of: access)
        try AddPasskey.refuseMore(than: present.count)
        return PasskeyRegistrationOptions(
            challenge: addPasskey.challenges.new(for: .registration(admin.id.passkeyHolder), in: AuditEntry.server),
            domain: party.domain, applicationName: AdminPasskeyParty.name,
            userHandle: Passkey.handle(of: admin.id.passkeyHolder, in: AuditEntry.server), userName: admin.name,
            displayName: admin.name, algorithms: CredentialPublicKey.Algorithm.allCases.map(\.rawValue),
            excluded: present, requiresUserVerification: true, demandsAttestation: false,
            lifetime: PasskeyChallenges.lifetime)
    }

    /// Takes what the browser made. The same registration again, because the response got lost, answers the same.
    ///
    /// - Throws: `administration(adminRequired)`, `passkeysNotEnabled`, `passkeyRefused`, `fieldsRefused`,
    ///   `storageUnavailable`.
    package func add(
        _ registration: AddPasskey.Registration, to access: AdminAccess, from origin: RequestOrigin
    ) async throws(DomainError) -> Passkey {
        let (now, admin, party) = (clock.now, try access.person(), try party())
        let name = registration.name ?? AddPasskey.standardName
        let faults = Passkey.faults(name: name) + registration.faults
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        let (passkey, challenge) = try addPasskey.verify(
            registration, name: name, of: admin.id.passkeyHolder, in: AuditEntry.server, at: now, by: party,
            attestedBy: nil)
        let (session, entry) = (
            access.session, audit.draft(.adminPasskeyAdded, by: access.actor, in: AuditEntry.server, from: origin)
        )
        return try await store.write { transaction throws(DomainError) in
            try transaction.requireOpen(session)
            if let present = try transaction.passkey(passkey.id, in: AuditEntry.server) {
                guard try transaction.admin(passkey: passkey.id)?.id == admin.id, present.publicKey == passkey.publicKey
                else { throw .passkeyRefused(.credentialId) }
                return present
            }
            guard let present = try transaction.admin(admin.id), !present.isDisabled else {
                throw .administration(.adminRequired)
            }
            try AddPasskey.refuseMore(than: try transaction.passkeys(of: admin.id).count)
            guard try transaction.markUsed(challenge, in: AuditEntry.server) else {
                throw .passkeyRefused(.challenge)
            }
            try transaction.insert(passkey)
            try transaction.link(passkey, to: admin.id)
            try entry.record(on: .admin(admin.id), details: ["authenticator": passkey.aaguid], in: transaction)
            return passkey
        }
    }

    /// - Throws: `administration(adminRequired)`, `fieldsRefused`, `passkeyUnknown` when the admin has no such passkey,
    ///   `storageUnavailable`.
    package func rename(
        _ id: String, of access: AdminAccess, to name: String, from origin: RequestOrigin
    ) async throws(DomainError) -> Passkey {
        let admin = try access.person()
        let faults = Passkey.faults(name: name)
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        let entry = audit.draft(.adminPasskeyRenamed, by: access.actor, in: AuditEntry.server, from: origin)
        return try await store.write { transaction throws(DomainError) in
            var passkey = try transaction.ownPasskey(id, of: admin.id)
            guard passkey.name != name else { return passkey }
            passkey.name = name
            try transaction.updateName(of: passkey)
            try entry.record(on: .admin(admin.id), in: transaction)
            return passkey
        }
    }

    /// Removes a passkey. The sessions that it opened end, the caller's own too: it may have been stolen.
    ///
    /// - Throws: `administration(adminRequired)`, `passkeyUnknown` when the admin has no such passkey, `lastWayIn` for the
    ///   last one of an admin without a password, `storageUnavailable`.
    package func remove(
        _ id: String, of access: AdminAccess, from origin: RequestOrigin
    ) async throws(DomainError) {
        let admin = try access.person()
        let (session, entry) = (
            access.session, audit.draft(.adminPasskeyRemoved, by: access.actor, in: AuditEntry.server, from: origin)
        )
        try await store.write { transaction throws(DomainError) in
            try transaction.requireOpen(session)
            let passkey = try transaction.ownPasskey(id, of: admin.id)
            guard let present = try transaction.admin(admin.id) else { throw .administration(.adminRequired) }
            if present.usesPasskeysOnly {
                guard try transaction.passkeys(of: admin.id).count > 1 else { throw .lastWayIn }
            }
            try transaction.removePasskey(id, of: admin.id)
            try entry.record(on: .admin(admin.id), details: ["authenticator": passkey.aaguid], in: transaction)
        }
    }

    /// Gives up password, one-time codes and recovery codes: from now on passkeys alone lead in. Other sessions end.
    ///
    /// - Parameters:
    ///   - access: Whose.
    ///   - token: The caller's session, which stays.
    ///   - origin: Where the request came from, for the audit log.
    /// - Throws: `administration(adminRequired)`, `lastWayIn` for an admin without a passkey, `storageUnavailable`.
    package func removePassword(
        of access: AdminAccess, keeping token: Secret, from origin: RequestOrigin
    ) async throws(DomainError) {
        let (admin, now, session, kept) = (try access.person(), clock.now, access.session, token.digest)
        let entry = audit.draft(.adminPasswordRemoved, by: access.actor, in: AuditEntry.server, from: origin)
        try await store.write { transaction throws(DomainError) in
            try transaction.requireOpen(session)
            guard var present = try transaction.admin(admin.id), !present.isDisabled else {
                throw .administration(.adminRequired)
            }
            guard try !transaction.passkeys(of: admin.id).isEmpty else { throw .lastWayIn }
            present.usesPasskeysOnly = true
            (present.passwordHash, present.sealedTOTP, present.recoveryDigests) = (nil, nil, [])
            present.updatedAt = max(now, present.updatedAt + .milliseconds(1))
            try transaction.update(present)
            try transaction.removeAdminSessions(of: admin.id, but: kept)
            try entry.record(on: .admin(admin.id), in: transaction)
        }
    }
}

extension AdminAccess {
    /// - Throws: `administration(adminRequired)` for a program's key.
    func person() throws(DomainError) -> Admin {
        guard let admin else { throw .administration(.adminRequired) }
        return admin
    }
}

extension Transaction {
    fileprivate func ownPasskey(_ id: String, of admin: Identifier<Admin>) throws(DomainError) -> Passkey {
        guard try self.admin(passkey: id)?.id == admin, let passkey = try passkey(id, in: AuditEntry.server) else {
            throw .passkeyUnknown
        }
        return passkey
    }
}
