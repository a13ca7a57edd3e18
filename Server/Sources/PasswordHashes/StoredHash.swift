import CCrypt
import CSodium
import CryptoExtras
package import Domain
import Foundation

/// A stored hash in one of the forms that are understood. Our own is Argon2id; the others come with imported users and
/// are replaced at the first log-in (requirement 7).
package enum StoredHash: Sendable {
    /// `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`, and the same with `argon2i`.
    case argon2(String)
    /// `$2a$10$…`, `$2b$…`, `$2y$…`: 53 characters after the cost.
    case bcrypt(String)
    /// `$scrypt$ln=15,r=8,p=1$salt$hash`, and `$firebase-scrypt$…`: see `FirebaseScrypt`.
    case scrypt(Scrypt)
    /// `$pbkdf2-sha256$i=600000$salt$hash`, and with `sha512` or `sha1`.
    case pbkdf2(PBKDF2)
    /// `$argon2id-over-md5crypt$v=19$m=19456,t=2,p=1,i=1$salt$hash`
    case wrapped(WrappedHash)
    /// What a wrapped hash costs beside Argon2id: a decoy alone, and never stored.
    case fast(FastHash)

    package struct Scrypt: Hashable, Sendable {
        let cost: UInt64
        let blockSize: UInt32
        let parallelism: UInt32
        let salt: [UInt8]
        let hash: [UInt8]
        /// Whether the hash is what AES makes of the derived key, as at Firebase.
        var isFirebase = false
    }

    package struct PBKDF2: Hashable, Sendable {
        package enum Digest: String, Hashable, Sendable {
            case sha1, sha256, sha512

            /// How many times all rounds are gone through for a hash of this length (RFC 8018 §5.2).
            func blocks(of byteCount: Int) -> Int {
                let length =
                    switch self {
                    case .sha1: 20
                    case .sha256: 32
                    case .sha512: 64
                    }
                return (byteCount + length - 1) / length
            }
        }

        let digest: Digest
        let rounds: Int
        let salt: [UInt8]
        let hash: [UInt8]
    }

    // What one comparison may cost: the author of an import file must not be able to fill the machine or to stop its
    // log-ins. Whatever the function, that is 256 MiB and some seconds of one core; docs/operations/running.md has the
    // table. No parameter is multiplied before it is within its own bounds.

    /// Argon2 and scrypt.
    static let maximumKiB = 256 * 1024
    /// Argon2: memory times passes, so that 256 MiB are gone through four times.
    static let maximumPassedKiB = 4 * maximumKiB
    /// PBKDF2: rounds times the blocks that the hash is made of. SHA-crypt and phpass: rounds.
    static let maximumRounds = 5_000_000
    private static let bcryptCosts = 4...15
    static let maximumBcryptRounds = 1 << 15
    /// The longest hash and salt; the functions' own have 16 to 64 bytes.
    private static let maximumHashBytes = 128

    /// Reads a stored form; `nil` when it is none of these, or would cost too much to try.
    package init?(_ hash: PasswordHash) {
        let text = hash.text
        if ["$2a$", "$2b$", "$2y$"].contains(where: text.hasPrefix) {
            guard text.utf8.count == 60, let cost = Int(text.dropFirst(4).prefix(2), radix: 10),
                Self.bcryptCosts.contains(cost)
            else { return nil }
            self = .bcrypt(text)
            return
        }
        guard let parts = PHCString(text), (1...Self.maximumHashBytes).contains(parts.hash.count),
            parts.salt.count <= Self.maximumHashBytes
        else { return nil }
        switch parts.function {
        case "argon2id", "argon2i":
            guard Argon2id(parts) != nil, (1...16).contains(parts.number("p") ?? 0) else { return nil }
            self = .argon2(text)
        case "scrypt", FirebaseScrypt.function:
            guard let exponent = parts.number("ln"), (1...24).contains(exponent), let block = parts.number("r"),
                (1...64).contains(block), let parallelism = parts.number("p"), (1...16).contains(parallelism),
                128 * block * parallelism << exponent <= Self.maximumKiB * 1024
            else { return nil }
            self = .scrypt(
                Scrypt(
                    cost: 1 << exponent, blockSize: UInt32(clamping: block), parallelism: UInt32(clamping: parallelism),
                    salt: parts.salt, hash: parts.hash, isFirebase: parts.function == FirebaseScrypt.function))
        case "pbkdf2-sha256", "pbkdf2-sha512", "pbkdf2-sha1", "pbkdf2":
            let name = parts.function.split(separator: "-").dropFirst().first.map(String.init) ?? "sha1"
            guard let digest = PBKDF2.Digest(rawValue: name), let rounds = parts.number("i"),
                (1...Self.maximumRounds).contains(rounds),
                rounds * digest.blocks(of: parts.hash.count) <= Self.maximumRounds
            else { return nil }
            self = .pbkdf2(PBKDF2(digest: digest, rounds: rounds, salt: parts.salt, hash: parts.hash))
        default:
            guard let wrapped = WrappedHash(parts) else { return nil }
            self = .wrapped(wrapped)
        }
    }

    /// Whether a password made it. Imported hashes were made of what was sent, without any normalisation; our own of
    /// the normalised form, which is tried first.
    package func fits(_ password: Password) -> Bool {
        let (normalized, sent) = (Array(password.normalized.revealed.utf8), Array(password.sent.revealed.utf8))
        if fits(normalized) { return true }
        return normalized != sent && fits(sent)
    }

    private func fits(_ password: [UInt8]) -> Bool {
        // bcrypt ends at a null character, and HMAC, of which PBKDF2 and scrypt are made, takes one at the end for none.
        if case .argon2(let text) = self { return Argon2id.fits(password, text) }
        if case .wrapped(let wrapped) = self { return wrapped.fits(password) }
        guard !password.contains(0) else { return false }
        return switch self {
        case .argon2, .wrapped: false
        case .fast(let fast): fast.fits(password)
        case .bcrypt(let text): Self.bcrypt(password, text)
        case .scrypt(let scrypt): scrypt.fits(password)
        case .pbkdf2(let pbkdf2): pbkdf2.fits(password)
        }
    }

    /// bcrypt looks at 72 bytes, as it did where the hash was made.
    private static func bcrypt(_ password: [UInt8], _ text: String) -> Bool {
        guard let result = crypt(password, text) else { return false }
        return areEqual(Array(result.utf8), Array(text.utf8))
    }

    /// What the C library makes of a password without null characters, by a text that names function and salt.
    static func crypt(_ password: [UInt8], _ setting: String) -> String? {
        // 32 KiB, too much for a thread's stack.
        let data = UnsafeMutablePointer<crypt_data>.allocate(capacity: 1)
        defer { data.deallocate() }
        memset(data, 0, MemoryLayout<crypt_data>.size)
        return crypt_r(String(decoding: password, as: UTF8.self), setting, data).map { String(cString: $0) }
    }

    /// Compares in constant time.
    static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && sodium_memcmp(left, right, left.count) == 0
    }
}

extension StoredHash.Scrypt {
    func fits(_ password: [UInt8]) -> Bool {
        var made = [UInt8](repeating: 0, count: isFirebase ? FirebaseScrypt.keyBytes : hash.count)
        let status = crypto_pwhash_scryptsalsa208sha256_ll(
            password, password.count, salt, salt.count, cost, blockSize, parallelism, &made, made.count)
        guard status == 0 else { return false }
        if isFirebase { made = FirebaseScrypt.keyStream(of: made, byteCount: hash.count) }
        return StoredHash.areEqual(made, hash)
    }
}

extension StoredHash.PBKDF2 {
    func fits(_ password: [UInt8]) -> Bool {
        let function: KDF.Insecure.PBKDF2.HashFunction =
            switch digest {
            case .sha1: .insecureSHA1
            case .sha256: .sha256
            case .sha512: .sha512
            }
        // The library derives or fails; a failure fits nothing.
        guard
            let made = try? KDF.Insecure.PBKDF2.deriveKey(
                from: password, salt: salt, using: function, outputByteCount: hash.count,
                unsafeUncheckedRounds: rounds)
        else { return false }
        return StoredHash.areEqual(made.withUnsafeBytes { Array($0) }, hash)
    }
}
