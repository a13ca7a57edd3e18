extension UserCredentials {
    /// The most identities of one user. A record of 1 MiB has room for some thousands.
    static let maximumIdentities = User.maximumIdentities
    private static let maximumKeyBytes = 2048

    /// The rules that an exported user breaks beside those of every import. An export that was changed by somebody does not get
    /// around them, and what the database would refuse is a fault of its line.
    ///
    /// - Parameters:
    ///   - user: Whose credentials they are, with identities and roles.
    ///   - limits: The application's, of fields.
    /// - Returns: a fault for each rule, with the name that the record has for what breaks it.
    func faults(of user: User, within limits: ProfileLimits = .standard) -> [ValidationError] {
        identityFaults(of: user) + passkeyFaults(of: user) + factorFaults + roleFaults(of: user)
            + ExportedSession.faults(of: sessions, within: limits)
    }

    private static func fault(_ field: String, _ rule: ValidationError.Rule) -> [ValidationError] {
        [ValidationError(field: field, rule: rule)]
    }

    private static func limit(_ count: Int, to maximum: Int, _ field: String) -> [ValidationError] {
        count > maximum ? fault(field, .tooManyFields(maximum: maximum)) : []
    }

    private static func bytes(_ text: String?, atMost maximum: Int, _ field: String) -> [ValidationError] {
        guard let text, text.utf8.count > maximum else { return [] }
        return fault(field, .tooManyBytes(maximum: maximum))
    }

    private func identityFaults(of user: User) -> [ValidationError] {
        guard user.identities.count <= Self.maximumIdentities else {
            return Self.limit(user.identities.count, to: Self.maximumIdentities, "identities")
        }
        var (faults, seen): ([ValidationError], [Identity.Provider: Set<String>]) = ([], [:])
        for identity in user.identities {
            let provider = identity.provider.rawValue
            faults += Self.bytes(provider, atMost: ImportUsers.maximumIdBytes, "identities")
            faults += Self.bytes(identity.joinedBy?.rawValue, atMost: ImportUsers.maximumIdBytes, "identities")
            faults += Self.bytes(identity.subject, atMost: Passkey.maximumIdCharacters, "identities")
            if identity.subject.isEmpty { faults += Self.fault("identities", .empty) }
            if !seen[identity.provider, default: []].insert(identity.subject).inserted {
                faults += Self.fault("identities", .notUnique)
            }
        }
        for account in accounts {
            var texts = [account.audience, account.transferSubject, account.email?.address]
            texts += account.formerNames.map(Optional.some)
            for text in texts {
                faults += Self.bytes(text, atMost: Passkey.maximumIdCharacters, "identities")
            }
        }
        return faults
    }

    private func passkeyFaults(of user: User) -> [ValidationError] {
        var faults = Self.limit(passkeys.count, to: Passkey.maximumPerUser, "passkeys")
        if Set(passkeys.map(\.id)).count < passkeys.count { faults += Self.fault("passkeys", .notUnique) }
        let subjects = Set(user.identities.filter { $0.provider == .passkey }.map(\.subject))
        // A passkey is found by its identity, and is removed with it.
        if !passkeys.allSatisfy({ subjects.contains($0.id) }) { faults += Self.fault("identities", .required) }
        for passkey in passkeys.prefix(Passkey.maximumPerUser) {
            let texts = [
                (passkey.id, Passkey.maximumIdCharacters), (passkey.name, Passkey.maximumNameCharacters),
                (passkey.userHandle, ImportUsers.maximumIdBytes), (passkey.aaguid, ImportUsers.maximumIdBytes),
            ]
            for (text, maximum) in texts {
                faults += TextRule(maximumCharacters: maximum).faults(of: text, field: "passkeys")
            }
            faults += Self.limit(passkey.transports.count, to: Passkey.maximumTransports, "passkeys")
            for transport in passkey.transports.prefix(Passkey.maximumTransports) {
                faults += TextRule(maximumCharacters: Passkey.maximumTransportCharacters)
                    .faults(of: transport, field: "passkeys")
            }
            if passkey.publicKey.count > Self.maximumKeyBytes {
                faults += Self.fault("passkeys", .tooManyBytes(maximum: Self.maximumKeyBytes))
            }
        }
        return faults
    }

    private var factorFaults: [ValidationError] {
        var faults = Self.limit(factors.count, to: TOTPFactor.maximumPerUser, "totp")
        if Set(factors.map(\.id)).count < factors.count { faults += Self.fault("totp", .notUnique) }
        for factor in factors.prefix(TOTPFactor.maximumPerUser) {
            faults += TextRule(maximumCharacters: TOTPFactor.maximumNameCharacters).faults(
                of: factor.name, field: "totp")
            faults += Self.bytes(factor.id.rawValue, atMost: ImportUsers.maximumIdBytes, "totp")
            if factor.sealedKey.count > Self.maximumKeyBytes {
                faults += Self.fault("totp", .tooManyBytes(maximum: Self.maximumKeyBytes))
            }
        }
        faults += Self.limit(recoveryCodes.count, to: RecoveryCode.count, "recoveryCodes")
        if Set(recoveryCodes).count < recoveryCodes.count { faults += Self.fault("recoveryCodes", .notUnique) }
        return faults
    }

    private func roleFaults(of user: User) -> [ValidationError] {
        guard user.grants.count <= AccessRules.maximumGrantsOfUser else {
            return Self.limit(user.grants.count, to: AccessRules.maximumGrantsOfUser, "roles")
        }
        return user.grants.flatMap { Self.bytes($0.rawValue, atMost: ImportUsers.maximumIdBytes, "roles") }
    }
}
