/// An application as an export has it. What the installation seals is open here: the file is sealed as a whole.
package struct ExportedApplication: Hashable, Sendable {
    package var application: Application
    package var providers: [StoredProvider] = []
    package var protocols: [ProtocolKeySet] = []
    /// Whether hashes and secrets are in the file.
    package var hasSecrets: Bool
    /// Stands for the key under which digests of short secrets were made: they say something to this installation, and to one
    /// with the same sealing key, alone.
    package var digestKey: [UInt8]

    package init(_ application: Application, hasSecrets: Bool, digestKey: [UInt8]) {
        self.application = application
        self.hasSecrets = hasSecrets
        self.digestKey = digestKey
    }
}

/// A user as an export has it.
package struct ExportedUser: Hashable, Sendable {
    package var user: User
    package var hash: PasswordHash?
    package var credentials: UserCredentials

    package init(user: User, hash: PasswordHash? = nil, credentials: UserCredentials) {
        self.user = user
        self.hash = hash
        self.credentials = credentials
    }
}

/// What leads to a user, or is asked for beside it, and stands in tables of its own.
package struct UserCredentials: Hashable, Sendable {
    package var passkeys: [Passkey] = []
    /// Their keys are open.
    package var factors: [TOTPFactor] = []
    package var recoveryCodes: [SecretDigest] = []
    /// What is kept of identities. Grants and ids that clients made are open.
    package var accounts: [ProviderAccount] = []
    /// Newest first.
    package var sessions: [ExportedSession] = []
    /// The first moment of the day on which the user was last there, UTC; `nil` for one who never was.
    package var seenAt: Timestamp?

    package init() {}

    /// The greatest `credentialsVersion` of a file: 2^31 - 1, from which nothing counts to the end of the numbers.
    package static let maximumVersion: Int64 = 2_147_483_647
}

extension UserCredentials {
    /// With other records in the place of those that are sealed, or open.
    ///
    /// - Parameter change: Gets a record and what it is sealed for.
    /// - Returns: the credentials.
    /// - Throws: what `change` throws.
    func mapSecrets(_ change: ([UInt8], String) throws(DomainError) -> [UInt8]) throws(DomainError) -> UserCredentials {
        var changed = self
        changed.factors = []
        for factor in factors {
            let key = try change(factor.sealedKey, TOTPFactor.purpose(factor.user, factor.application))
            changed.factors.append(
                TOTPFactor(
                    id: factor.id, of: factor.user, in: factor.application, name: factor.name, sealedKey: key,
                    lastStep: factor.lastStep, createdAt: factor.createdAt, lastUsedAt: factor.lastUsedAt))
        }
        for index in accounts.indices {
            let account = accounts[index]
            guard let grant = account.sealedGrant else { continue }
            let purpose =
                account.provider == .anonymous
                ? AnonymousId.purpose(in: account.application)
                : ProviderAccount.purpose(account.provider, in: account.application)
            changed.accounts[index].sealedGrant = try change(grant, purpose)
        }
        return changed
    }

    /// Without what proves something.
    func withoutSecrets() -> UserCredentials {
        var changed = self
        (changed.factors, changed.recoveryCodes, changed.sessions) = ([], [], [])
        for index in accounts.indices { changed.accounts[index].sealedGrant = nil }
        return changed
    }
}

extension ExportedApplication {
    /// With other records in the place of those that are sealed, or open.
    ///
    /// - Parameter change: Gets a record and what it is sealed for.
    /// - Returns: the application.
    /// - Throws: what `change` throws.
    func mapSecrets(
        _ change: ([UInt8], String) throws(DomainError) -> [UInt8]
    ) throws(DomainError) -> ExportedApplication {
        var changed = self
        let id = application.id
        for index in providers.indices {
            guard let secret = providers[index].sealedSecret else { continue }
            changed.providers[index].sealedSecret = try change(
                secret, StoredProvider.purpose(providers[index].settings.provider, in: id))
        }
        for index in protocols.indices {
            let name = protocols[index].protocolName
            for (key, sealed) in protocols[index].sealed {
                changed.protocols[index].sealed[key] = try change(sealed, ProtocolKeyring.purpose(key, name, id))
            }
        }
        changed.application.settings = try application.settings.mapSecrets(in: id, change)
        return changed
    }

    /// Without keys, secrets and what cannot be without them.
    func withoutSecrets() -> ExportedApplication {
        var changed = self
        changed.protocols = []
        for index in providers.indices { changed.providers[index].sealedSecret = nil }
        for kind in SettingsSecret.allCases {
            for (name, _) in application.settings.secrets(of: kind) {
                changed.application.settings.setSecret(kind, of: name, to: nil)
            }
        }
        return changed
    }
}
