import Crypto
import Foundation

/// The keys for secrets at rest: one seals, all of them open (AES-256-GCM, requirement 40). Digests derive from the
/// first key for ever, whichever seals: stored digests cannot be made again.
package struct SealingKey: Sendable {
    package static let byteCount = 32
    /// How many bytes of a record name its key.
    /// How long the id of a key is at the beginning of each record.
    package static let identifierBytes = 8

    private struct Member: Sendable {
        let key: SymmetricKey
        /// Stands in each record, so that a wrong key is distinguished from damage.
        let identifier: [UInt8]

        init?(_ bytes: [UInt8]) {
            guard bytes.count == SealingKey.byteCount else { return nil }
            key = SymmetricKey(data: bytes)
            identifier = Array(
                SHA256.hash(data: Array("okaeri sealing key id".utf8) + bytes).prefix(SealingKey.identifierBytes))
        }
    }

    /// What digests derive from.
    private let key: SymmetricKey
    private let sealing: Member
    private let all: [Member]

    /// One key for everything. `nil` unless there are 32 bytes, which must be random.
    package init?(bytes: [UInt8]) {
        self.init(first: bytes, inOrder: [bytes])
    }

    /// `nil` unless each key has 32 bytes, and the list is not empty.
    ///
    /// - Parameters:
    ///   - first: The key that the installation began with.
    ///   - keys: All keys; the first of the list seals. `first` opens even when it is left out.
    package init?(first: [UInt8], inOrder keys: [[UInt8]]) {
        guard let oldest = Member(first) else { return nil }
        var all: [Member] = []
        for bytes in keys {
            guard let member = Member(bytes) else { return nil }
            if !all.contains(where: { $0.identifier == member.identifier }) { all.append(member) }
        }
        guard let sealing = all.first else { return nil }
        if !all.contains(where: { $0.identifier == oldest.identifier }) { all.append(oldest) }
        (key, self.sealing, self.all) = (oldest.key, sealing, all)
    }

    /// The ids of all keys, that of the one that seals first: 16 hexadecimal digits each, derived from the key's bytes.
    package var ids: [String] { all.map { Self.text($0.identifier) } }

    /// The id of the key under which a record was sealed.
    package static func id(of sealed: [UInt8]) -> String { text(Array(sealed.prefix(identifierBytes))) }

    private static func text(_ identifier: [UInt8]) -> String { Hexadecimal.text(of: identifier) }

    /// A digest that only who has the key can make, for what is too short to be kept as a plain digest: codes, and mail
    /// addresses in counters (requirement 9).
    ///
    /// - Parameters:
    ///   - parts: What to take the digest of; each part counts by itself.
    ///   - purpose: Keeps digests of different things apart.
    /// - Returns: HMAC-SHA256 under a key that is derived from the first one.
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
            let box = try AES.GCM.seal(secret, using: sealing.key, authenticating: Array(purpose.utf8))
            guard let combined = box.combined else { throw DomainError.secretUnreadable }
            return sealing.identifier + combined
        } catch {
            throw .secretUnreadable
        }
    }

    /// - Throws: `secretUnreadable` when the record was sealed under another key, for another purpose, or is damaged.
    package func open(_ sealed: [UInt8], purpose: String) throws(DomainError) -> [UInt8] {
        guard let member = all.first(where: { sealed.starts(with: $0.identifier) }) else { throw .secretUnreadable }
        do {
            let box = try AES.GCM.SealedBox(combined: sealed.dropFirst(Self.identifierBytes))
            return Array(try AES.GCM.open(box, using: member.key, authenticating: Array(purpose.utf8)))
        } catch {
            throw .secretUnreadable
        }
    }

    /// A hash under a key of its own that is derived from the first one.
    package func keyedHash(purpose: String) -> KeyedHash {
        KeyedHash(derivedFrom: key, purpose: purpose)
    }
}
