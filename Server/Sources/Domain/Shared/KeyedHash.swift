import Crypto
import Foundation

/// Hashes under a key that only this installation knows: for codes that are too short for a plain hash (requirement 9),
/// and for records that nobody else shall be able to make.
package struct KeyedHash: Sendable {
    private let key: SymmetricKey

    /// - Parameters:
    ///   - secret: The key that this one is derived from (RFC 5869).
    ///   - purpose: Keys of different purposes tell nothing of each other.
    init(derivedFrom secret: SymmetricKey, purpose: String) {
        key = HKDF<SHA256>.deriveKey(inputKeyMaterial: secret, info: Data(purpose.utf8), outputByteCount: 32)
    }

    /// The HMAC-SHA256 of parts, each with its length before it, so that no two lists of parts give the same bytes.
    package func digest(of parts: [[UInt8]?]) -> SecretDigest {
        var hash = HMAC<SHA256>(key: key)
        for part in parts {
            // A part that is missing differs from an empty one.
            withUnsafeBytes(of: Int64(part?.count ?? -1).bigEndian) { hash.update(data: $0) }
            if let part { hash.update(data: part) }
        }
        guard let digest = SecretDigest(stored: Array(hash.finalize())) else {
            preconditionFailure("HMAC-SHA256 has 32 bytes")
        }
        return digest
    }
}
