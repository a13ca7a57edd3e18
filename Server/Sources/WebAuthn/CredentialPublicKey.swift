import Crypto
import CryptoExtras
import Foundation

/// The public key of a credential, in the form of COSE (RFC 9052 §7, RFC 9053, RFC 8230).
package struct CredentialPublicKey: Sendable {
    /// The algorithms of COSE that are offered and taken, the best first.
    package enum Algorithm: Int64, CaseIterable, Hashable, Sendable {
        /// ECDSA on P-256 with SHA-256.
        case es256 = -7
        /// Ed25519.
        case edDSA = -8
        /// RSASSA-PKCS1-v1_5 with SHA-256, which Windows Hello makes on older machines.
        case rs256 = -257
    }

    package let algorithm: Algorithm
    /// As the authenticator wrote it.
    package let cose: [UInt8]
    private let key: Key

    private enum Key {
        case p256(P256.Signing.PublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
        case rsa(_RSA.Signing.PublicKey)
    }

    private static let rsaModulusBytes = 256...512

    /// - Throws: `algorithm` for one that was not offered; `publicKeyMalformed` for a key that is none, for one without a
    ///   member that it needs, and for one with any other (WebAuthn §6.5.1.1).
    package init(cose: [UInt8]) throws(WebAuthnFault) {
        guard let value = try? CBOR(parsing: cose), case .map(let members) = value,
            let number = members.integer(.integer(3))
        else { throw .publicKeyMalformed }
        guard let algorithm = Algorithm(rawValue: number) else { throw .algorithm }
        self.algorithm = algorithm
        self.cose = cose
        guard let key = Self.key(algorithm, members) else { throw .publicKeyMalformed }
        self.key = key
    }

    /// `nil` for a key that the library does not take: it checks that points are on their curves.
    private static func key(_ algorithm: Algorithm, _ members: [CBOR.Key: CBOR]) -> Key? {
        let kind = members.integer(.integer(1))
        switch algorithm {
        case .es256:
            guard kind == 2, members.count == 5, members.integer(.integer(-1)) == 1,
                let x = members.bytes(.integer(-2)), let y = members.bytes(.integer(-3)), x.count == 32, y.count == 32,
                let key = try? P256.Signing.PublicKey(x963Representation: [0x04] + x + y)
            else { return nil }
            return .p256(key)
        case .edDSA:
            guard kind == 1, members.count == 4, members.integer(.integer(-1)) == 6,
                let x = members.bytes(.integer(-2)), x.count == 32,
                let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x)
            else { return nil }
            return .ed25519(key)
        case .rs256:
            guard kind == 3, members.count == 4, let modulus = members.bytes(.integer(-1)),
                let exponent = members.bytes(.integer(-2)), rsaModulusBytes.contains(modulus.count),
                exponent == [1, 0, 1], let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent)
            else { return nil }
            return .rsa(key)
        }
    }

    /// Whether a signature over bytes is the key's.
    package func isValid(_ signature: [UInt8], over bytes: [UInt8]) -> Bool {
        switch key {
        case .p256(let key):
            // The form is DER (§6.5.5).
            guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: bytes)
        case .ed25519(let key): return key.isValidSignature(signature, for: bytes)
        case .rsa(let key):
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: bytes),
                padding: .insecurePKCS1v1_5)
        }
    }
}
