import CSodium
package import Domain

/// Argon2id (RFC 9106) with its cost, by libsodium.
package struct Argon2id: Hashable, Sendable {
    package let memoryKiB: Int
    package let passes: Int

    /// 19 MiB and two passes: the least that OWASP and requirement 6 allow, about 60 hashes a second on one core.
    package static let standard = Argon2id(memoryKiB: 19_456, passes: 2)

    package init(memoryKiB: Int, passes: Int) {
        self.memoryKiB = memoryKiB
        self.passes = passes
    }

    /// A PHC string with a new salt of 16 bytes; `nil` when there is not enough memory.
    package func hash(_ password: [UInt8]) -> PasswordHash? {
        guard Self.isReady else { return nil }
        var text = [CChar](repeating: 0, count: Int(clamping: crypto_pwhash_STRBYTES))
        let status = crypto_pwhash_str_alg(
            &text, password.map(CChar.init(bitPattern:)), UInt64(clamping: password.count), UInt64(clamping: passes),
            memoryKiB * 1024,
            crypto_pwhash_ALG_ARGON2ID13)
        guard status == 0 else { return nil }
        return PasswordHash(text: String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    /// The cost of a PHC string; `nil` when one comparison may not cost as much.
    init?(_ parts: PHCString) {
        guard let memory = parts.number("m"), (1...StoredHash.maximumKiB).contains(memory),
            let passes = parts.number("t"), (1...64).contains(passes), memory * passes <= StoredHash.maximumPassedKiB
        else { return nil }
        self.init(memoryKiB: memory, passes: passes)
    }

    /// The length of a salt.
    static let saltBytes = Int(clamping: crypto_pwhash_SALTBYTES)

    /// The bytes that a password and a salt of `saltBytes` make; `nil` when there is not enough memory.
    func derive(_ password: [UInt8], salt: [UInt8], byteCount: Int) -> [UInt8]? {
        guard Self.isReady, salt.count == Self.saltBytes else { return nil }
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let status = crypto_pwhash(
            &bytes, UInt64(clamping: byteCount), password.map(CChar.init(bitPattern:)),
            UInt64(clamping: password.count),
            salt, UInt64(clamping: passes), memoryKiB * 1024, crypto_pwhash_ALG_ARGON2ID13)
        return status == 0 ? bytes : nil
    }

    /// A hash that takes as long to compare with as a real one, and that no password is known to make: zeros.
    var dummy: StoredHash {
        let (salt, hash) = (String(repeating: "A", count: 22), String(repeating: "A", count: 43))
        return .argon2("$argon2id$v=19$m=\(memoryKiB),t=\(passes),p=1$\(salt)$\(hash)")
    }

    /// Whether a new hash would be harder to break than this one.
    package func isStronger(than hash: PasswordHash) -> Bool {
        guard let parameters = PHCString(hash.text), parameters.function == "argon2id" else { return true }
        return parameters.number("m") ?? 0 < memoryKiB || parameters.number("t") ?? 0 < passes
    }

    /// Whether a password made a PHC string of Argon2.
    static func fits(_ password: [UInt8], _ text: String) -> Bool {
        guard isReady else { return false }
        return crypto_pwhash_str_verify(text, password.map(CChar.init(bitPattern:)), UInt64(clamping: password.count))
            == 0
    }

    /// The library must be initialised once; many threads may do so at once.
    private static let isReady = sodium_init() >= 0
}
