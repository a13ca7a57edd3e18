import WebAuthn

/// What a client needs to make a passkey (WebAuthn §5.4).
package struct PasskeyRegistrationOptions: Sendable {
    package var challenge: String
    package var domain: String
    package var applicationName: String
    package var userHandle: String
    package var userName: String
    package var displayName: String
    /// Of COSE, the best first.
    package var algorithms: [Int64]
    /// Credentials that the user has already.
    package var excluded: [Passkey]
    package var requiresUserVerification: Bool
    /// Whether the authenticator has to show who made it.
    package var demandsAttestation: Bool
    package var lifetime: Duration
}

/// Adds a passkey to the user of a session, whose id, session and fields stay. Someone with a passkey is not anonymous any
/// more.
package struct AddPasskey: Sendable {
    let store: any Store
    let clock: any WallClock
    let changes: AccountChanges
    let challenges: PasskeyChallenges
    let pages: ProofTarget?
    let certificates: any CertificateVerifier
    let askHook: AskHook

    /// What the client made, as bytes.
    package struct Registration: Sendable {
        package var id: String
        package var clientData: [UInt8]
        package var attestationObject: [UInt8]
        package var transports: [String]
        /// What the user calls it; `nil` for a name of the server's.
        package var name: String?

        package init(
            id: String, clientData: [UInt8], attestationObject: [UInt8], transports: [String], name: String?
        ) {
            self.id = id
            self.clientData = clientData
            self.attestationObject = attestationObject
            self.transports = transports
            self.name = name
        }
    }

    static let standardName = "Passkey"

    /// What a client needs to make a passkey. The owner must have been there lately, so that nobody is asked in vain.
    ///
    /// - Throws: `passkeysNotEnabled`, `reauthenticationRequired`, `fieldsRefused` for a user with as many as one can have,
    ///   `storageUnavailable`.
    package func options(
        for who: Authenticated, by author: AccountAuthor
    ) async throws(DomainError) -> PasskeyRegistrationOptions {
        let (user, application) = (who.user, who.application)
        let domain = try application.settings.passkeys.requiredDomain(orHostOf: pages)
        try author.requireProof(of: .passkeyAdded, at: clock.now)
        let present = try await store.read { transaction throws(DomainError) in
            try transaction.passkeys(of: user.id, in: application.id)
        }
        try Self.refuseMore(than: present.count)
        let names = user.passkeyNames(in: application)
        return PasskeyRegistrationOptions(
            challenge: challenges.new(for: .registration(user.id), in: application.id), domain: domain,
            applicationName: application.name, userHandle: Passkey.handle(of: user.id, in: application.id),
            userName: names.user, displayName: names.display,
            algorithms: CredentialPublicKey.Algorithm.allCases.map(\.rawValue), excluded: present,
            requiresUserVerification: application.settings.passkeys.requiresUserVerification,
            demandsAttestation: !application.settings.passkeys.attestationRoots.isEmpty,
            lifetime: PasskeyChallenges.lifetime)
    }

    static func refuseMore(than count: Int) throws(DomainError) {
        guard count < Passkey.maximumPerUser else {
            throw .fieldsRefused([
                ValidationError(field: "credential", rule: .tooManyFields(maximum: Passkey.maximumPerUser))
            ])
        }
    }

    /// Takes what the client made. The same registration again, because the response got lost, answers the same.
    ///
    /// - Throws: `passkeysNotEnabled`, `reauthenticationRequired`, `passkeyRefused`, `fieldsRefused`, `identityTaken` when
    ///   the credential is another user's, `userUnknown`, `hookRefused`, `hookUnavailable`, `storageUnavailable`.
    package func callAsFunction(
        _ registration: Registration, for who: Authenticated, by author: AccountAuthor
    ) async throws(DomainError) -> Passkey {
        let (now, application) = (clock.now, who.application)
        let party = try PasskeyParty(of: application, pages: pages)
        try author.requireProof(of: .passkeyAdded, at: now)
        let name = registration.name ?? Self.standardName
        let faults = Passkey.faults(name: name) + registration.faults
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        let (passkey, challenge) = try verify(
            registration, name: name, of: who.user.id, in: application.id, at: now, by: party,
            attestedBy: application.settings.passkeys.authority(certificates, at: now))
        var registered = who.user
        registered.identities.append(passkey.identity)
        let isApproved = try await askHook.beforeUpgrade(
            of: who.user, to: registered, vouched: nil, from: author.entry.origin, in: application)
        let ready = try changes.ready([.passkeyAdded], of: who.user, in: application, by: author, at: now)
        return try await store.write { transaction throws(DomainError) in
            if let present = try transaction.passkey(passkey.id, in: application.id) {
                let owner = try transaction.user(provider: .passkey, subject: passkey.id, in: application.id)
                guard owner?.id == who.user.id, present.publicKey == passkey.publicKey else { throw .identityTaken }
                return present
            }
            guard var user = try transaction.user(who.user.id, in: application.id) else { throw .userUnknown }
            try Self.refuseMore(than: user.identities.count { $0.provider == .passkey })
            let before = user
            user.identities.append(passkey.identity)
            try application.requireApproval(isApproved, ofUpgrade: before, to: user)
            guard try transaction.markUsed(challenge, in: application.id) else { throw .passkeyRefused(.challenge) }
            try transaction.insert(passkey)
            try transaction.link(passkey.identity, to: user.id, in: application.id)
            user.updatedAt = now
            try transaction.updateProfile(of: user)
            try ready.settle(
                [.passkeyAdded: ["authenticator": passkey.aaguid]], of: &user, keeping: author.kept, in: transaction)
            return passkey
        }
    }

    /// What a registration holds, and what marks its challenge as used.
    ///
    /// - Throws: `passkeyRefused`.
    func verify(
        _ registration: Registration, name: String, of user: Identifier<User>, in application: Identifier<Application>,
        at now: Timestamp, by party: PasskeyParty, attestedBy authority: AttestationAuthority?
    ) throws(DomainError) -> (Passkey, UsedProof) {
        var used: UsedProof?
        do throws(WebAuthnFault) {
            let new = try party.relyingParty.verify(
                try ClientData(parsing: registration.clientData),
                try AttestationObject(parsing: registration.attestationObject),
                attestedBy: authority
            ) {
                used = challenges.use($0, for: .registration(user), in: application, at: now)
                return used != nil
            }
            guard let used else { throw WebAuthnFault.challenge }
            let id = Base64URL.text(of: new.id)
            guard id == registration.id else { throw WebAuthnFault.credentialId }
            let credential = Passkey.Credential(
                id: id, userHandle: Passkey.handle(of: user, in: application), publicKey: new.publicKey.cose,
                aaguid: new.aaguid.text, signCount: new.state.signCount, transports: registration.transports,
                isBackupEligible: new.state.isBackupEligible, isBackedUp: new.state.isBackedUp)
            return (Passkey(credential, application: application, name: name, createdAt: now), used)
        } catch {
            throw .passkeyRefused(error)
        }
    }
}

extension AddPasskey.Registration {
    var faults: [ValidationError] {
        guard transports.count <= Passkey.maximumTransports else {
            return [
                ValidationError(
                    field: "credential.response.transports", rule: .tooManyFields(maximum: Passkey.maximumTransports))
            ]
        }
        let isWord = transports.allSatisfy { word in
            (1...Passkey.maximumTransportCharacters).contains(word.utf8.count)
                && word.utf8.allSatisfy { (97...122).contains($0) || $0 == UInt8(ascii: "-") }
        }
        return isWord ? [] : [ValidationError(field: "credential.response.transports", rule: .notListed)]
    }
}

extension Passkey {
    /// The rules that a name breaks.
    package static func faults(name: String) -> [ValidationError] {
        TextRule(maximumCharacters: maximumNameCharacters).faults(of: name, field: "name")
    }
}
