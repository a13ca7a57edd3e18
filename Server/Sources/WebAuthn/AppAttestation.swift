import Crypto

/// Why an attestation of App Attest proves nothing: one word for each step of its verification.
package enum AppAttestFault: String, Error, CaseIterable, Hashable, Sendable {
    case malformed = "attestation_malformed"
    case format = "attestation_format"
    /// The chain does not lead to Apple's root, is not valid now, or has no nonce.
    case certificates = "attestation_certificates"
    /// Not made for this challenge and this key of the device.
    case nonce = "attestation_nonce"
    case keyId = "attestation_key_id"
    /// Another app, or another team's.
    case app = "attestation_app"
    /// A key that was used before.
    case counter = "attestation_counter"
    /// An app that was not installed from a store, or one of another kind.
    case environment = "attestation_environment"
    case credentialId = "attestation_credential_id"

    /// The member of an attestation that the rule is about.
    package var member: String { self == .keyId ? "keyId" : "object" }
}

/// What `DCAppAttestService.attestKey` makes (requirement 25).
package struct AppAttestation: Sendable {
    package static let format = "apple-appattest"
    private static let maximumCertificates = 4
    private static let development = Array("appattestdevelop".utf8)
    private static let production = Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)

    /// In DER, that of the key first.
    package let certificates: [[UInt8]]
    private let data: AuthenticatorData
    private let dataBytes: [UInt8]

    /// Members that this does not know are passed over: later systems add some, and what counts is signed and looked at.
    ///
    /// - Throws: `malformed`, `format`.
    package init(parsing bytes: [UInt8]) throws(AppAttestFault) {
        guard bytes.count <= AttestationObject.maximumBytes, let value = try? CBOR(parsing: bytes),
            case .map(let members) = value, case .text(let format)? = members[.text("fmt")],
            case .map(let statement)? = members[.text("attStmt")], let data = members.bytes(.text("authData"))
        else { throw .malformed }
        guard format == Self.format else { throw .format }
        guard statement.bytes(.text("receipt")) != nil,
            case .array(let chain)? = statement[.text("x5c")], (1...Self.maximumCertificates).contains(chain.count)
        else { throw .malformed }
        var certificates: [[UInt8]] = []
        for element in chain {
            guard case .bytes(let certificate) = element else { throw .malformed }
            certificates.append(certificate)
        }
        do throws(WebAuthnFault) {
            self.data = try AuthenticatorData(parsing: data)
        } catch {
            throw .malformed
        }
        self.certificates = certificates
        dataBytes = data
    }

    /// Verifies what the certificates do not say by themselves.
    ///
    /// - Parameters:
    ///   - publicKey: The point that they certify, uncompressed (ANSI X9.63); their chain holds.
    ///   - nonce: What that of the key holds in the extension 1.2.840.113635.100.8.2.
    ///   - keyId: As the client names the key.
    ///   - clientDataHash: What the device was asked to attest.
    ///   - apps: The apps that count: `TEAMID.bundle.id`.
    ///   - takesDevelopment: Whether apps count that were not installed from a store.
    /// - Throws: the first rule that is broken.
    package func verify(
        publicKey: [UInt8], nonce: [UInt8], keyId: [UInt8], clientDataHash: [UInt8], apps: [String],
        takesDevelopment: Bool
    ) throws(AppAttestFault) {
        guard nonce == Self.hash(dataBytes + clientDataHash) else { throw .nonce }
        guard keyId == Self.hash(publicKey) else { throw .keyId }
        guard apps.contains(where: { data.rpIdHash == Self.hash(Array($0.utf8)) }) else { throw .app }
        guard data.signCount == 0 else { throw .counter }
        guard let attested = data.attested else { throw .malformed }
        guard attested.aaguid == Self.production || takesDevelopment && attested.aaguid == Self.development else {
            throw .environment
        }
        guard attested.id == keyId else { throw .credentialId }
    }

    private static func hash(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }
}
