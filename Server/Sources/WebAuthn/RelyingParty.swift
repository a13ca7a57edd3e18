import Crypto

/// Who takes credentials, and which: verifies registrations and assertions (WebAuthn §7.1, §7.2).
package struct RelyingParty: Sendable {
    private let idHash: [UInt8]
    private let origins: Set<String>
    private let requiresUserVerification: Bool
    private let policy: AuthenticatorPolicy

    /// - Parameters:
    ///   - id: A domain.
    ///   - origins: From where ceremonies are taken, exactly so.
    ///   - requiresUserVerification: Whether a touch alone is not enough.
    ///   - policy: Which kinds of authenticators are taken.
    package init(
        id: String, origins: Set<String>, requiresUserVerification: Bool,
        policy: AuthenticatorPolicy = .anything
    ) {
        idHash = Array(SHA256.hash(data: Array(id.utf8)))
        self.origins = origins
        self.requiresUserVerification = requiresUserVerification
        self.policy = policy
    }

    /// Which kinds of authenticators are taken, by what they say to be: without an attestation nothing proves it.
    package enum AuthenticatorPolicy: Hashable, Sendable {
        case anything
        case only(Set<AAGUID>)
        case allBut(Set<AAGUID>)

        func takes(_ aaguid: AAGUID) -> Bool {
            switch self {
            case .anything: true
            case .only(let listed): listed.contains(aaguid)
            case .allBut(let listed): !listed.contains(aaguid)
            }
        }
    }

    /// A credential that was just made.
    package struct NewCredential: Sendable {
        package let id: [UInt8]
        package let publicKey: CredentialPublicKey
        package let aaguid: AAGUID
        package let state: CredentialState
        package let attestation: AttestationObject.Attestation
    }

    /// Verifies a registration.
    ///
    /// - Parameters:
    ///   - clientData: What the client said.
    ///   - attestation: What the authenticator made.
    ///   - authority: Who has to vouch for the authenticator; `nil` for nobody.
    ///   - isChallenge: Whether a challenge is the one that was given out for this.
    /// - Returns: the new credential.
    /// - Throws: the first rule that is broken.
    package func verify(
        _ clientData: ClientData, _ attestation: AttestationObject, attestedBy authority: AttestationAuthority? = nil,
        isChallenge: ([UInt8]) -> Bool
    ) throws(WebAuthnFault) -> NewCredential {
        try verify(clientData, .create, isChallenge: isChallenge)
        try verify(attestation.data)
        guard let attested = attestation.data.attested else { throw .authenticatorDataMalformed }
        let key = try CredentialPublicKey(cose: attested.publicKey)
        let kind = try attestation.attestation(of: key, clientDataHash: clientData.hash, by: authority)
        guard let aaguid = AAGUID(bytes: attested.aaguid), policy.takes(aaguid) else { throw .authenticator }
        return NewCredential(
            id: attested.id, publicKey: key, aaguid: aaguid, state: CredentialState(attestation.data),
            attestation: kind)
    }

    /// Verifies an assertion.
    ///
    /// - Parameters:
    ///   - assertion: What came.
    ///   - key: The credential's key.
    ///   - isChallenge: Whether a challenge is the one that was given out for this.
    /// - Returns: what the authenticator says of the credential; see `CredentialState.fault(after:)`.
    /// - Throws: the first rule that is broken.
    package func verify(
        _ assertion: Assertion, by key: CredentialPublicKey, isChallenge: ([UInt8]) -> Bool
    ) throws(WebAuthnFault) -> CredentialState {
        try verify(assertion.clientData, .get, isChallenge: isChallenge)
        try verify(assertion.data)
        guard key.isValid(assertion.signature, over: assertion.signed) else { throw .signature }
        return CredentialState(assertion.data)
    }

    private func verify(
        _ clientData: ClientData, _ kind: ClientData.Kind, isChallenge: ([UInt8]) -> Bool
    ) throws(WebAuthnFault) {
        guard clientData.type == kind.rawValue else { throw .clientDataType }
        guard isChallenge(clientData.challenge) else { throw .challenge }
        guard origins.contains(clientData.origin) else { throw .origin }
        guard !clientData.isCrossOrigin else { throw .crossOrigin }
    }

    private func verify(_ data: AuthenticatorData) throws(WebAuthnFault) {
        guard data.rpIdHash == idHash else { throw .relyingParty }
        guard data.flags.contains(.userPresent) else { throw .userPresence }
        guard data.flags.contains(.userVerified) || !requiresUserVerification else { throw .userVerification }
        guard data.flags.contains(.backupEligible) || !data.flags.contains(.backedUp) else { throw .backupState }
    }
}

/// What changes of a credential from use to use.
package struct CredentialState: Hashable, Sendable {
    package var signCount: Int64
    /// Whether the credential can be on several devices.
    package var isBackupEligible: Bool
    package var isBackedUp: Bool
    /// Whether the last use showed who it was, beside a touch: by a PIN, a finger or a face.
    package var isUserVerified: Bool

    package init(signCount: Int64, isBackupEligible: Bool, isBackedUp: Bool, isUserVerified: Bool) {
        self.signCount = signCount
        self.isBackupEligible = isBackupEligible
        self.isBackedUp = isBackedUp
        self.isUserVerified = isUserVerified
    }

    /// What does not go with what was known of the credential before: whether it can be backed up never changes, and a
    /// counter grows with each use, unless the authenticator has none.
    package func fault(after known: CredentialState) -> WebAuthnFault? {
        guard isBackupEligible == known.isBackupEligible else { return .backupEligibility }
        return signCount > known.signCount || signCount == 0 && known.signCount == 0 ? nil : .signatureCounter
    }

    init(_ data: AuthenticatorData) {
        self.init(
            signCount: Int64(clamping: data.signCount), isBackupEligible: data.flags.contains(.backupEligible),
            isBackedUp: data.flags.contains(.backedUp), isUserVerified: data.flags.contains(.userVerified))
    }
}

/// What proves that somebody has a credential (WebAuthn §5.2.2).
package struct Assertion: Sendable {
    package static let maximumSignatureBytes = 1024

    package let clientData: ClientData
    let data: AuthenticatorData
    let signature: [UInt8]
    /// What the signature is over.
    let signed: [UInt8]

    /// - Throws: `clientDataMalformed`, `authenticatorDataMalformed`; `signature` for one that is too long.
    package init(
        clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8]
    ) throws(WebAuthnFault) {
        self.clientData = try ClientData(parsing: clientData)
        data = try AuthenticatorData(parsing: authenticatorData)
        guard signature.count <= Self.maximumSignatureBytes else { throw .signature }
        self.signature = signature
        signed = authenticatorData + self.clientData.hash
    }
}
