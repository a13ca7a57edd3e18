/// What an authenticator makes with a new credential (WebAuthn §6.5.4).
package struct AttestationObject: Sendable {
    package static let maximumBytes = 16 * 1024

    /// How a credential's origin is attested.
    package enum Attestation: String, Sendable {
        case none
        /// By the credential's own key, which shows that the authenticator has it.
        case own = "self"
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
    /// - Throws: `attestationFormat` for one that nobody asked for: the options say `none`. `attestationMalformed`,
    ///   `attestationSignature`.
    func attestation(of key: CredentialPublicKey, clientDataHash: [UInt8]) throws(WebAuthnFault) -> Attestation {
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
}
