/// What an authenticator makes with a new credential (WebAuthn §6.5.4).
package struct AttestationObject: Sendable {
    package static let maximumBytes = 16 * 1024

    /// How a credential's origin is attested.
    package enum Attestation: String, Sendable {
        case none
        /// By the credential's own key, which shows that the authenticator has it.
        case own = "self"
        /// By a certificate of the authenticator's maker.
        case certified
    }

    let data: AuthenticatorData
    private let dataBytes: [UInt8]
    private let format: String
    private let statement: [CBOR.Key: CBOR]

    /// - Throws: `attestationMalformed`, and what its authenticator data is refused for.
    package init(parsing bytes: [UInt8]) throws(WebAuthnFault) {
        guard bytes.count <= Self.maximumBytes, let value = try? CBOR(parsing: bytes), case .map(let members) = value,
            members.count == 3, case .text(let format)? = members[.text("fmt")],
            case .map(let statement)? = members[.text("attStmt")], let data = members.bytes(.text("authData"))
        else { throw .attestationMalformed }
        self.data = try AuthenticatorData(parsing: data)
        dataBytes = data
        self.format = format
        self.statement = statement
    }

    /// Verifies the statement (§8.2, §8.7).
    ///
    /// - Parameters:
    ///   - key: The new credential's.
    ///   - clientDataHash: What is signed beside the authenticator data.
    ///   - authority: Who vouches for authenticators; `nil` where nobody asks.
    /// - Returns: what it is attested by.
    /// - Throws: `attestationFormat` for one that nobody asked for, or another than that which is asked for;
    ///   `attestationMalformed`, `attestationSignature`, `attestationCertificate`, `attestationRoot`.
    func attestation(
        of key: CredentialPublicKey, clientDataHash: [UInt8], by authority: AttestationAuthority?
    ) throws(WebAuthnFault) -> Attestation {
        if let authority { return try certified(clientDataHash: clientDataHash, by: authority) }
        switch format {
        case "none":
            guard statement.isEmpty else { throw .attestationMalformed }
            return .none
        case "packed" where statement[.text("x5c")] == nil:
            guard statement.count == 2, let number = statement.integer(.text("alg")),
                let signature = statement.bytes(.text("sig"))
            else { throw .attestationMalformed }
            guard number == key.algorithm.rawValue, key.isValid(signature, over: dataBytes + clientDataHash) else {
                throw .attestationSignature
            }
            return .own
        default: throw .attestationFormat
        }
    }

    /// An attestation with certificates (§8.2), of the format that security keys have.
    private func certified(
        clientDataHash: [UInt8], by authority: AttestationAuthority
    ) throws(WebAuthnFault) -> Attestation {
        guard format == "packed", let list = statement[.text("x5c")] else { throw .attestationFormat }
        guard statement.count == 3, let algorithm = statement.integer(.text("alg")),
            let signature = statement.bytes(.text("sig")), case .array(let items) = list, !items.isEmpty,
            let kind = data.attested?.aaguid, let aaguid = AAGUID(bytes: kind)
        else { throw .attestationMalformed }
        let chain = items.compactMap { item -> [UInt8]? in if case .bytes(let bytes) = item { bytes } else { nil } }
        guard chain.count == items.count else { throw .attestationMalformed }
        guard let certificate = authority.certificate(chain, aaguid) else { throw .attestationRoot }
        guard certificate.fits(kind) else { throw .attestationCertificate }
        guard certificate.isValid(signature, over: dataBytes + clientDataHash, by: algorithm) else {
            throw .attestationSignature
        }
        return .certified
    }
}
