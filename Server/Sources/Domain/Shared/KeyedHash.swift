import Crypto
import Foundation

/// Hashes under a key that only this installation knows: for codes that are too short for a plain hash (requirement 9),
/// and for records that nobody else shall be able to make.
package struct KeyedHash: Sendable {
    /// The key, as the beginning of a code: to begin costs more than to go on.
    private let begun: HMAC<SHA256>

    /// - Parameters:
    ///   - secret: The key that this one is derived from (RFC 5869).
    ///   - purpose: Keys of different purposes tell nothing of each other.
    init(derivedFrom secret: SymmetricKey, purpose: String) {
        begun = HMAC(
            key: HKDF<SHA256>.deriveKey(inputKeyMaterial: secret, info: Data(purpose.utf8), outputByteCount: 32))
    }

    /// The HMAC-SHA256 of parts, each with its length before it, so that no two lists of parts give the same bytes.
    package func digest(of parts: [[UInt8]?]) -> SecretDigest {
        var bytes: [UInt8] = []
        for part in parts {
            // A part that is missing differs from an empty one.
            withUnsafeBytes(of: Int64(clamping: part?.count ?? -1).bigEndian) { bytes.append(contentsOf: $0) }
            if let part { bytes.append(contentsOf: part) }
        }
        var hash = begun
        hash.update(data: bytes)
        return SecretDigest(keyed: hash.finalize())
    }
}

/// The proof that the client that redeems an authorization code is the one that asked for it (PKCE, RFC 7636).
package enum PKCE {
    /// The challenge of a verifier by the method S256 (§4.2).
    package static func s256(of verifier: String) -> String {
        Base64URL.text(of: Array(SHA256.hash(data: Array(verifier.utf8))))
    }
}
