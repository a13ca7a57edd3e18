import Crypto
import Foundation

/// The key under which secrets at rest are sealed: AES-256-GCM (requirement 40).
package struct SealingKey: Sendable {
    package static let byteCount = 32

    private let key: SymmetricKey
    /// Stands in each record, so that a wrong key is distinguished from damage.
    private let keyIdentifier: [UInt8]

    /// `nil` unless there are 32 bytes, which must be random.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        key = SymmetricKey(data: bytes)
        keyIdentifier = Array(SHA256.hash(data: Array("okaeri sealing key id".utf8) + bytes).prefix(8))
    }

    /// A digest that only who has the key can make, for what is too short to be kept as a plain digest: codes, and mail
    /// addresses in counters (requirement 9).
    ///
    /// - Parameters:
    ///   - parts: What to take the digest of; each part counts by itself.
    ///   - purpose: Keeps digests of different things apart.
    /// - Returns: HMAC-SHA256 under a key that is derived from this one.
    package func digest(of parts: String..., purpose: String) -> SecretDigest {
        var code = HMAC<SHA256>(
            key: HKDF<SHA256>.deriveKey(
                inputKeyMaterial: key, info: Array("okaeri keyed digests".utf8), outputByteCount: 32))
        for part in [purpose] + parts {
            let bytes = Array(part.utf8)
            code.update(data: withUnsafeBytes(of: UInt64(clamping: bytes.count).bigEndian) { Array($0) })
            code.update(data: bytes)
        }
        return SecretDigest(keyed: code.finalize())
    }

    /// - Parameters:
    ///   - secret: What to seal.
    ///   - purpose: Bound to the record, so that one record cannot stand in for another.
    /// - Returns: the record to store.
    /// - Throws: `secretUnreadable`, should the cryptographic library fail.
    package func seal(_ secret: [UInt8], purpose: String) throws(DomainError) -> [UInt8] {
        do {
            let box = try AES.GCM.seal(secret, using: key, authenticating: Array(purpose.utf8))
            guard let combined = box.combined else { throw DomainError.secretUnreadable }
            return keyIdentifier + combined
        } catch {
            throw .secretUnreadable
        }
    }

    /// - Throws: `secretUnreadable` when the record was sealed under another key, for another purpose, or is damaged.
    package func open(_ sealed: [UInt8], purpose: String) throws(DomainError) -> [UInt8] {
        guard sealed.starts(with: keyIdentifier) else { throw .secretUnreadable }
        do {
            let box = try AES.GCM.SealedBox(combined: sealed.dropFirst(keyIdentifier.count))
            return Array(try AES.GCM.open(box, using: key, authenticating: Array(purpose.utf8)))
        } catch {
            throw .secretUnreadable
        }
    }

    /// A hash under a key of its own that is derived from this one.
    package func keyedHash(purpose: String) -> KeyedHash {
        KeyedHash(derivedFrom: key, purpose: purpose)
    }
}
