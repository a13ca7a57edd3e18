import WebAuthn

/// A passkey of a user: a public key whose private half an authenticator keeps and uses for one domain only. It leads to
/// its user by the identity `passkey`, whose subject is the credential's id; that identity moves in merges and goes with
/// its user.
package struct Passkey: Hashable, Sendable {
    /// How many a user can have.
    package static let maximumPerUser = 20
    package static let maximumNameCharacters = 100
    /// 1023 bytes as base64url.
    package static let maximumIdCharacters = 1364
    /// What a client may say of transports: a few short words.
    package static let maximumTransports = 8
    package static let maximumTransportCharacters = 32

    package let application: Identifier<Application>
    /// The credential's id, base64url.
    package let id: String
    /// What the authenticator keeps with the credential and hands over at each log-in, base64url.
    package let userHandle: String
    /// In the form of COSE (RFC 9052 §7).
    package let publicKey: [UInt8]
    /// What the user calls it.
    package var name: String
    /// The kind of the authenticator, as it says itself.
    package let aaguid: String
    package var signCount: Int64
    /// By which ways the authenticator is reached, as the client says.
    package let transports: [String]
    /// Whether the credential can be on several devices.
    package let isBackupEligible: Bool
    package var isBackedUp: Bool
    package let createdAt: Timestamp
    package var lastUsedAt: Timestamp?

    package init(
        _ credential: Credential, application: Identifier<Application>, name: String, createdAt: Timestamp,
        lastUsedAt: Timestamp? = nil
    ) {
        self.application = application
        id = credential.id
        userHandle = credential.userHandle
        publicKey = credential.publicKey
        self.name = name
        aaguid = credential.aaguid
        signCount = credential.signCount
        transports = credential.transports
        isBackupEligible = credential.isBackupEligible
        isBackedUp = credential.isBackedUp
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }

    /// What an authenticator says with an assertion, and when.
    package struct Use: Hashable, Sendable {
        package let signCount: Int64
        package let isBackupEligible: Bool
        package let isBackedUp: Bool
        package let at: Timestamp

        package init(signCount: Int64, isBackupEligible: Bool, isBackedUp: Bool, at: Timestamp) {
            self.signCount = signCount
            self.isBackupEligible = isBackupEligible
            self.isBackedUp = isBackedUp
            self.at = at
        }
    }

    /// What an authenticator made.
    package struct Credential: Hashable, Sendable {
        package let id: String
        package let userHandle: String
        package let publicKey: [UInt8]
        package let aaguid: String
        package let signCount: Int64
        package let transports: [String]
        package let isBackupEligible: Bool
        package let isBackedUp: Bool

        package init(
            id: String, userHandle: String, publicKey: [UInt8], aaguid: String, signCount: Int64, transports: [String],
            isBackupEligible: Bool, isBackedUp: Bool
        ) {
            self.id = id
            self.userHandle = userHandle
            self.publicKey = publicKey
            self.aaguid = aaguid
            self.signCount = signCount
            self.transports = transports
            self.isBackupEligible = isBackupEligible
            self.isBackedUp = isBackedUp
        }
    }

    /// The handle of a user for authenticators, which says nothing of the user (WebAuthn §14.6.1), base64url.
    static func handle(of user: Identifier<User>, in application: Identifier<Application>) -> String {
        Base64URL.text(
            of: SecretDigest(of: "okaeri passkey \(application.rawValue) \(user.rawValue)".utf8).bytes)
    }

    /// What leads to its user.
    var identity: Identity { Identity(provider: .passkey, subject: id, linkedAt: createdAt) }
}

extension Identity.Provider {
    /// A passkey; see `Passkey`.
    package static let passkey = Identity.Provider(rawValue: "passkey")
}

/// What is wrong with a registration or an assertion: the member of the credential, and the rule.
package struct PasskeyFault: Hashable, Sendable {
    package let member: String
    package let rule: String

    init(_ fault: WebAuthnFault) {
        member = fault.member
        rule = fault.rawValue
    }

    /// Whether the passkey leads to somebody else, so that another way in is needed and not another try.
    package var isOfSomebodyElse: Bool { rule == WebAuthnFault.userHandle.rawValue }

    /// Every rule, for the tables of errors.
    package static let all = WebAuthnFault.allCases.map(PasskeyFault.init(_:))
}

extension DomainError {
    /// The application has no passkeys.
    package static var passkeysNotEnabled: Self { Self(.notFound, .passkeysNotEnabled) }
    /// The passkey leads to nobody under its domain: it was removed, or made elsewhere.
    package static var passkeyUnknown: Self { Self(.notFound, .passkeyUnknown) }
    /// The registration or the assertion does not hold.
    static func passkeyRefused(_ fault: WebAuthnFault) -> Self { passkeyRefused(PasskeyFault(fault)) }
    /// The registration or the assertion does not hold.
    package static func passkeyRefused(_ fault: PasskeyFault) -> Self {
        Self(.refused, .passkeyRefused, .passkey(fault))
    }
}

extension DomainError.Code {
    package static var passkeysNotEnabled: Self { Self(rawValue: "passkeysNotEnabled") }
    package static var passkeyUnknown: Self { Self(rawValue: "passkeyUnknown") }
    package static var passkeyRefused: Self { Self(rawValue: "passkeyRefused") }
}

/// What passkeys need of storage.
package protocol PasskeyQueries {
    /// Stores a new passkey. The identity that leads to its user is inserted apart.
    func insert(_ passkey: Passkey) throws(DomainError)
    func passkey(_ id: String, in application: Identifier<Application>) throws(DomainError) -> Passkey?
    /// Whether anybody on the server has a passkey: a user of any application, or an admin.
    func hasPasskey(_ id: String) throws(DomainError) -> Bool
    /// A user's passkeys, oldest first.
    func passkeys(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> [Passkey]
    /// Writes counter, backup state and time of a use, by the rule of `CredentialState.fault(after:)`: the counter has to
    /// grow, unless the authenticator has none, and whether the passkey can be backed up has to be as it was.
    ///
    /// - Returns: whether it was written; `false` also for a passkey that is not there.
    func note(
        _ use: Passkey.Use, of passkey: String, in application: Identifier<Application>
    ) throws(DomainError) -> Bool
    /// Writes the name alone: a log-in may count meanwhile. Removing its identity removes a passkey.
    func updateName(of passkey: Passkey) throws(DomainError)
}
