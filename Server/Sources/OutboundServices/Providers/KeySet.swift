package import Crypto
package import CryptoExtras
import Domain
import Foundation
import enum OkaeriWire.JSONValue

/// The public keys of a provider (RFC 7517), by their ids.
package struct KeySet: Sendable {
    /// More keys than any provider has at once.
    private static let maximumKeys = 50
    /// Longer than any id of a key: sets are kept.
    fileprivate static let maximumIdBytes = 1000

    private let keys: [String: VerificationKey]
    /// The key of a set that has a single one, with an id or without. Tokens may leave the id out then (OpenID Connect Core
    /// 1.0 §10.1).
    package let single: VerificationKey?

    /// Reads a key set. Keys of kinds that are not used for signing here are passed over.
    ///
    /// - Returns: `nil` when this is no key set.
    package init?(parsing bytes: [UInt8]) {
        guard let document = JSONMembers(parsing: bytes), case .array(let list)? = document.values["keys"],
            list.count <= Self.maximumKeys
        else { return nil }
        var keys: [String: VerificationKey] = [:]
        var last: VerificationKey?
        for case .object(let members) in list {
            guard let (id, key) = VerificationKey.read(JSONMembers(members)) else { continue }
            last = key
            if let id, keys[id] == nil { keys[id] = key }
        }
        self.keys = keys
        single = list.count == 1 ? last : nil
    }

    package subscript(id: String) -> VerificationKey? { keys[id] }
}

/// A public key that signs tokens of one algorithm.
package enum VerificationKey: Sendable {
    case rsa(_RSA.Signing.PublicKey)
    case p256(P256.Signing.PublicKey)

    /// Algorithms that tokens are accepted with; which of them, each provider says.
    package enum Algorithm: String, Sendable {
        /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 §3.3).
        case rs256 = "RS256"
        /// ECDSA with P-256 and SHA-256 (RFC 7518 §3.4).
        case es256 = "ES256"
        /// HMAC with SHA-256 (RFC 7518 §3.2), by the client's own secret. No key of a key set has it.
        case hs256 = "HS256"
    }

    package var algorithm: Algorithm {
        switch self {
        case .rsa: .rs256
        case .p256: .es256
        }
    }

    package func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        switch self {
        case .rsa(let key):
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: bytes),
                padding: .insecurePKCS1v1_5)
        case .p256(let key):
            // Anything but 64 bytes is no signature; the library says no to the rest.
            guard signature.count == 64,
                let decoded = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(decoded, for: bytes)
        }
    }

    /// A key of a set, and its id where it has one; `nil` for a key that tokens are not signed with here.
    fileprivate static func read(_ key: JSONMembers) -> (id: String?, key: VerificationKey)? {
        let id = key.text("kid")
        guard id != "", id?.utf8.count ?? 0 <= KeySet.maximumIdBytes, key.text("use") ?? "sig" == "sig" else {
            return nil
        }
        let algorithm = key.text("alg")
        // Keys that the library refuses, such as short ones and points beside the curve, are passed over.
        switch key.text("kty") {
        case "RSA" where algorithm ?? "RS256" == "RS256":
            guard let modulus = key.bytes("n"), let exponent = key.bytes("e"),
                let publicKey = try? _RSA.Signing.PublicKey(n: modulus, e: exponent)
            else { return nil }
            return (id, .rsa(publicKey))
        case "EC" where algorithm ?? "ES256" == "ES256" && key.text("crv") == "P-256":
            guard let x = key.bytes("x"), x.count == 32, let y = key.bytes("y"), y.count == 32,
                let publicKey = try? P256.Signing.PublicKey(x963Representation: [4] + x + y)
            else { return nil }
            return (id, .p256(publicKey))
        default:
            return nil
        }
    }
}

/// A client secret that tokens are signed with (RFC 7518 §3.2).
struct SharedKey: Sendable {
    /// As many as the hash has (RFC 7518 §3.2).
    static let minimumBytes = 32

    private let key: SymmetricKey

    /// `nil` for a secret that is too short.
    init?(_ secret: Secret) {
        guard secret.revealed.utf8.count >= Self.minimumBytes else { return nil }
        key = SymmetricKey(data: Array(secret.revealed.utf8))
    }

    /// Compares in constant time.
    func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: bytes, using: key)
    }
}
