/// Why a registration or an assertion does not prove anything: one word for each rule of WebAuthn level 3, §7.1 and §7.2.
package enum WebAuthnFault: String, Error, CaseIterable, Hashable, Sendable {
    case clientDataMalformed = "client_data_malformed"
    case clientDataType = "client_data_type"
    case challenge
    case origin
    /// A page of another origin around the one that asks.
    case crossOrigin = "cross_origin"
    case authenticatorDataMalformed = "authenticator_data_malformed"
    case relyingParty = "relying_party"
    case userPresence = "user_presence"
    case userVerification = "user_verification"
    /// A credential that says to be backed up and that it cannot be.
    case backupState = "backup_state"
    /// A credential that could be backed up and now cannot, or the other way round.
    case backupEligibility = "backup_eligibility"
    case attestationMalformed = "attestation_malformed"
    case attestationFormat = "attestation_format"
    case attestationSignature = "attestation_signature"
    /// A certificate that is not as those of authenticators are (§8.2.1).
    case attestationCertificate = "attestation_certificate"
    /// A chain that leads to no root that the application has for the authenticator.
    case attestationRoot = "attestation_root"
    case credentialId = "credential_id"
    case publicKeyMalformed = "public_key_malformed"
    case algorithm
    /// A kind of authenticator that the application does not take.
    case authenticator
    case signature
    /// A counter that did not grow, as that of a copied authenticator.
    case signatureCounter = "signature_counter"
    case userHandle = "user_handle"

    /// The member of a credential as JSON (§5.1) that the rule is about.
    package var member: String {
        switch self {
        case .clientDataMalformed, .clientDataType, .challenge, .origin, .crossOrigin: "response.clientDataJSON"
        case .authenticatorDataMalformed, .relyingParty, .userPresence, .userVerification, .backupState,
            .backupEligibility, .signatureCounter:
            "response.authenticatorData"
        case .attestationMalformed, .attestationFormat, .attestationSignature, .attestationCertificate,
            .attestationRoot, .publicKeyMalformed, .algorithm, .authenticator:
            "response.attestationObject"
        case .credentialId: "id"
        case .signature: "response.signature"
        case .userHandle: "response.userHandle"
        }
    }
}
