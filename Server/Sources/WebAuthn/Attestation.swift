import Crypto
import CryptoExtras

/// The certificate of a kind of authenticators, whose chain holds (WebAuthn §8.2.1).
package struct AttestationCertificate: Sendable {
    /// The key with its algorithm, in DER (RFC 5280 §4.1.2.7).
    package var publicKey: [UInt8]
    /// The texts of the subject's name, by object identifier.
    package var subject: [String: [String]]
    package var isAuthority: Bool
    /// The AAGUID that it is for, in DER, and whether the extension is critical; `nil` without one.
    package var aaguid: (value: [UInt8], isCritical: Bool)?

    package init(
        publicKey: [UInt8], subject: [String: [String]], isAuthority: Bool,
        aaguid: (value: [UInt8], isCritical: Bool)?
    ) {
        self.publicKey = publicKey
        self.subject = subject
        self.isAuthority = isAuthority
        self.aaguid = aaguid
    }

    /// Names the extension with the AAGUID.
    package static let aaguidExtension = "1.3.6.1.4.1.45724.1.1.4"
    private static let unit = "Authenticator Attestation"

    /// Whether it is as §8.2.1 wants, for an authenticator of a kind.
    func fits(_ kind: [UInt8]) -> Bool {
        func only(_ identifier: String) -> String? {
            let texts = subject[identifier] ?? []
            return texts.count == 1 ? texts.first : nil
        }
        guard only("2.5.4.6")?.utf8.count == 2, only("2.5.4.10")?.isEmpty == false, only("2.5.4.11") == Self.unit,
            only("2.5.4.3")?.isEmpty == false, !isAuthority
        else { return false }
        guard let aaguid else { return true }
        // A string of 16 bytes within the extension's own.
        return !aaguid.isCritical && aaguid.value == [4, 16] + kind
    }

    /// Whether a signature over bytes is by the certificate's key, by an algorithm of COSE: ES256, ES384 or RS256.
    func isValid(_ signature: [UInt8], over bytes: [UInt8], by algorithm: Int64) -> Bool {
        switch algorithm {
        case -7:
            guard let key = try? P256.Signing.PublicKey(derRepresentation: publicKey),
                let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: bytes)
        case -35:
            guard let key = try? P384.Signing.PublicKey(derRepresentation: publicKey),
                let signature = try? P384.Signing.ECDSASignature(derRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: bytes)
        case -257:
            guard let key = try? _RSA.Signing.PublicKey(derRepresentation: publicKey) else { return false }
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: bytes),
                padding: .insecurePKCS1v1_5)
        default: return false
        }
    }
}

/// Verifies the chains of authenticators, by the roots of those who make them.
package struct AttestationAuthority: Sendable {
    /// The first certificate of a chain (leaf first) that leads to a root for this kind; `nil` when it does not.
    package let certificate: @Sendable ([[UInt8]], AAGUID) -> AttestationCertificate?

    package init(_ certificate: @escaping @Sendable ([[UInt8]], AAGUID) -> AttestationCertificate?) {
        self.certificate = certificate
    }
}
