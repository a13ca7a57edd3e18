import WebAuthn

/// Who takes the passkeys of admins: the server under its own address, and nobody else.
struct AdminPasskeyParty: Sendable {
    static let name = "Okaeri"

    let pagesURL: String?

    /// - Throws: `passkeysNotEnabled` when the server's address has no domain.
    func callAsFunction() throws(DomainError) -> PasskeyParty {
        guard let address else { throw .passkeysNotEnabled }
        return PasskeyParty(domain: address.domain, origin: address.origin)
    }

    /// The domain; `nil` when the server's address has none.
    var domain: String? { address?.domain }

    /// The origin of the pages that take passkeys; `nil` when the server's address has no domain.
    var origin: String? { address?.origin }

    private var address: (domain: String, origin: String)? { pagesURL.flatMap({ ProofTarget($0) })?.passkeyAddress }
}

extension PasskeyParty {
    /// A domain with one origin, which takes no passkey without a PIN, a finger or a face.
    fileprivate init(domain: String, origin: String) {
        self.domain = domain
        relyingParty = RelyingParty(id: domain, origins: [origin], requiresUserVerification: true)
    }
}

extension Identifier<Admin> {
    /// The admin as the holder of passkeys, which stand in `AuditEntry.server`: no user is there.
    var passkeyHolder: Identifier<User> { Identifier<User>(rawValue: rawValue) }
}

/// Log-in of admins with a passkey, in the place of password and one-time code, and the proof that they are still there.
package struct AdminPasskeys: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let verifyPasskey: VerifyPasskey
    let party: AdminPasskeyParty
    let secondFactor: AdminSecondFactor
    let audit: AuditTrail

    init(
        _ world: DomainWorld, verifyPasskey: VerifyPasskey, party: AdminPasskeyParty, secondFactor: AdminSecondFactor,
        audit: AuditTrail
    ) {
        (store, clock, randomness) = (world.store, world.clock, world.randomness)
        self.verifyPasskey = verifyPasskey
        self.party = party
        self.secondFactor = secondFactor
        self.audit = audit
    }

    /// What a browser needs to show a passkey.
    ///
    /// - Throws: `passkeysNotEnabled`.
    package func options() throws(DomainError) -> PasskeyRequestOptions {
        PasskeyRequestOptions(
            challenge: verifyPasskey.challenges.new(for: .assertion, in: AuditEntry.server), domain: try party().domain,
            requiresUserVerification: true, lifetime: PasskeyChallenges.lifetime)
    }

    /// - Throws: `passkeysNotEnabled`, `passkeyUnknown`, also for an admin who may not come in; `passkeyRefused`,
    ///   `storageUnavailable`.
    package func logIn(
        _ assertion: PasskeyAssertion, from origin: RequestOrigin
    ) async throws(DomainError) -> LogInAdmin.Done {
        let (now, token) = (clock.now, AdminSession.newToken(randomness))
        let entry = audit.draft(.adminLoggedIn, by: .unknown, in: AuditEntry.server, from: origin)
        let admin = try await count(assertion, of: nil, entry) { admin, passkey, transaction throws(DomainError) in
            admin.lastLogInAt = now
            try transaction.update(admin)
            try transaction.insert(
                AdminSession(digest: token.digest, admin: admin.id, createdAt: now, by: .passkey(passkey), at: now))
            return admin
        }
        return LogInAdmin.Done(
            admin: admin, token: token, expiresAt: now + AdminSession.lifetime, recoveryCodesLeft: nil)
    }

    /// Makes a session fresh for ten minutes, as `ReauthenticateAdmin` does.
    ///
    /// - Parameters:
    ///   - assertion: Of a passkey of the session's admin.
    ///   - token: The session's.
    ///   - access: Whose session it is.
    ///   - origin: Where the request came from, for the audit log.
    /// - Returns: the session's new token, and what it may.
    /// - Throws: `administration(adminRequired)`, `passkeysNotEnabled`, `passkeyUnknown`, also for another admin's;
    ///   `passkeyRefused`, `storageUnavailable`.
    package func reauthenticate(
        _ assertion: PasskeyAssertion, token: Secret, by access: AdminAccess, from origin: RequestOrigin
    ) async throws(DomainError) -> ReauthenticateAdmin.Done {
        guard let caller = access.admin else { throw .administration(.adminRequired) }
        let (now, before, fresh) = (clock.now, token.digest, AdminSession.newToken(randomness))
        let entry = audit.draft(.adminReauthenticated, by: access.actor, in: AuditEntry.server, from: origin)
        let expiresAt = try await count(assertion, of: caller.id, entry) {
            admin, passkey, transaction throws(DomainError) in
            try transaction.renew(before, as: fresh.digest, of: admin.id, by: .passkey(passkey), at: now)
        }
        return ReauthenticateAdmin.Done(
            token: fresh, access: access, at: now, expiresAt: expiresAt, recoveryCodesLeft: nil)
    }

    /// Lets an assertion count, once, and settles what follows in the same transaction.
    private func count<Value: Sendable>(
        _ assertion: PasskeyAssertion, of wanted: Identifier<Admin>?, _ entry: AuditDraft,
        _ settle: @escaping @Sendable (inout Admin, String, any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        let party = try party()
        guard assertion.id.utf8.count <= Passkey.maximumIdCharacters else { throw .passkeyRefused(.credentialId) }
        let known = try await store.read { transaction throws(DomainError) in
            try transaction.passkey(assertion.id, in: AuditEntry.server)
        }
        guard let known else { throw .passkeyUnknown }
        let verified = try verifyPasskey.verify(assertion, by: known, for: party)
        let result = try await store.write { transaction throws(DomainError) -> Result<Value, DomainError> in
            guard var admin = try transaction.admin(passkey: known.id), !admin.isDisabled, secondFactor.admits(admin),
                wanted == nil || wanted == admin.id
            else { throw .passkeyUnknown }
            if let fault = try verified.count(in: transaction) {
                try entry.record(
                    on: .admin(admin.id), by: .admin(admin.id), result: .refused, details: ["fault": fault.rawValue],
                    in: transaction)
                return .failure(.passkeyRefused(fault))
            }
            let value = try settle(&admin, known.id, transaction)
            try entry.record(
                on: .admin(admin.id), by: .admin(admin.id), details: ["second-factor": "passkey"], in: transaction)
            return .success(value)
        }
        return try result.get()
    }
}
