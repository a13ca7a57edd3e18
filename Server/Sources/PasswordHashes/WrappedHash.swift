import CSodium
import Domain

/// Argon2id over what a fast function made of a password: a thief of the database has to run both for each guess, and the
/// fast hash itself is nowhere (decision 0130).
///
/// Stored as `$argon2id-over-sha512crypt$v=19$m=19456,t=2,p=1,i=5000$salt$hash`. The first 16 bytes of the salt are
/// Argon2id's, the others the fast function's. A PHC string with a name of its own, so that costs and decoys are known from
/// the text (decision 0056).
package struct WrappedHash: Hashable, Sendable {
    static let prefix = "argon2id-over-"
    private static let hashBytes = 32

    let strength: Argon2id
    /// The function with its salt, and without what it made.
    let fast: FastHash
    let salt: [UInt8]
    let hash: [UInt8]

    /// - Returns: `nil` for another form.
    init?(_ parts: PHCString) {
        guard parts.function.hasPrefix(Self.prefix),
            let function = FastHash.function(named: parts.function.dropFirst(Self.prefix.count)),
            parts.salt.count >= Argon2id.saltBytes, parts.hash.count >= 16,
            let strength = Argon2id(parts), strength.memoryKiB >= 8, parts.number("p") == 1,
            let fast = FastHash(
                function, rounds: parts.number("i") ?? 1, salt: Array(parts.salt.dropFirst(Argon2id.saltBytes)))
        else { return nil }
        self.strength = strength
        self.fast = fast
        salt = Array(parts.salt.prefix(Argon2id.saltBytes))
        hash = parts.hash
    }

    /// Wraps a hash that another service made, with a new salt.
    ///
    /// - Returns: the form that is stored; `nil` when there is not enough memory.
    static func text(of fast: FastHash, _ strength: Argon2id) -> PasswordHash? {
        var salt = [UInt8](repeating: 0, count: Argon2id.saltBytes)
        randombytes_buf(&salt, salt.count)
        guard let hash = strength.derive(fast.hash, salt: salt, byteCount: hashBytes) else { return nil }
        let parts = [salt + fast.salt, hash].map(PHCString.text)
        let cost = "m=\(strength.memoryKiB),t=\(strength.passes),p=1,i=\(fast.rounds)"
        return PasswordHash(text: "$\(prefix)\(fast.name)$v=19$\(cost)$\(parts[0])$\(parts[1])")
    }

    /// Argon2id runs for each password, also where the fast function refuses it: the time is the same.
    func fits(_ password: [UInt8]) -> Bool {
        let made = password.contains(0) ? nil : fast.made(of: password)
        guard let derived = strength.derive(made ?? [], salt: salt, byteCount: hash.count) else { return false }
        return StoredHash.areEqual(derived, hash) && made != nil
    }
}
