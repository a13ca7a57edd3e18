import Crypto
package import Domain

/// What a function that is too fast for passwords made of one: rounds of a digest, or one digest. It comes with imported
/// users and is never stored: see `WrappedHash`.
package struct FastHash: Hashable, Sendable {
    package enum Function: Hashable, Sendable {
        /// `$1$salt$hash`: 1000 rounds of MD5.
        case md5crypt
        /// `$5$rounds=10000$salt$hash` and `$6$…` (SHA-crypt, U. Drepper); 5000 rounds when none are named.
        case sha256crypt, sha512crypt
        /// `$P$Bsalthash`, `$H$…`: MD5, 2 to the power of a letter times.
        case phpass
        case digest(Digest, SaltPosition)
    }

    /// A digest whose name also stands in PHC strings.
    package enum Digest: String, CaseIterable, Hashable, Sendable {
        case md5, sha1, sha256, sha384, sha512
        case sha3With256 = "sha3-256"
        case sha3With384 = "sha3-384"
        case sha3With512 = "sha3-512"
    }

    /// What a digest does with the salt.
    package enum SaltPosition: String, CaseIterable, Hashable, Sendable {
        /// The digest is of the salt and the password behind it; of the password alone when the salt is empty.
        case start
        /// The digest is of the password and the salt behind it.
        case end
        /// The salt is the key of HMAC.
        case key
    }

    /// The longest salt; together with that of Argon2id a stored hash can have it.
    package static let maximumSaltBytes = 112
    /// SHA-crypt has no fewer rounds.
    private static let roundRange = 1000...StoredHash.maximumRounds
    static let standardRounds = 5000

    let function: Function
    /// 1 for functions whose rounds are not chosen.
    let rounds: Int
    let salt: [UInt8]
    /// The bytes of a digest; of the `crypt` family the letters behind the salt.
    let hash: [UInt8]

    /// `nil` when a salt is too long, or the rounds would cost too much.
    init?(_ function: Function, rounds: Int = 1, salt: [UInt8], hash: [UInt8] = []) {
        let isPossible =
            switch function {
            case .sha256crypt, .sha512crypt: Self.roundRange.contains(rounds)
            case .phpass: (1...StoredHash.maximumRounds).contains(rounds)
            case .md5crypt, .digest: rounds == 1
            }
        guard isPossible, salt.count <= Self.maximumSaltBytes else { return nil }
        self.function = function
        self.rounds = rounds
        self.salt = salt
        self.hash = hash
    }

    /// Reads the forms of `crypt` and phpass, and `$sha256$salt-at=…`, which `text(_:_:salt:hash:)` writes; `nil` for all
    /// others, and for what would cost too much to try.
    package init?(_ hash: PasswordHash) {
        guard hash.text.utf8.count <= 1024 else { return nil }
        let parts = hash.text.split(separator: "$", omittingEmptySubsequences: false).dropFirst()
        guard hash.text.hasPrefix("$"), let name = parts.first else { return nil }
        switch name {
        case "1", "5", "6": self.init(crypt: Array(parts))
        case "P", "H": self.init(phpass: parts.dropFirst().joined(separator: "$"))
        default: self.init(digest: hash)
        }
    }

    /// - Parameter parts: What stands between the signs, from the number of the function.
    private init?(crypt parts: [Substring]) {
        var rest = parts.dropFirst()
        var rounds = parts[0] == "1" ? 1 : Self.standardRounds
        if parts[0] != "1", let named = rest.first, named.hasPrefix("rounds=") {
            guard let number = Int(named.dropFirst(7), radix: 10) else { return nil }
            rounds = number
            rest.removeFirst()
        }
        guard rest.count == 2, let salt = rest.first, let hash = rest.last else { return nil }
        let (function, saltBytes, hashBytes): (Function, Int, Int) =
            switch parts[0] {
            case "1": (.md5crypt, 8, 22)
            case "5": (.sha256crypt, 16, 43)
            default: (.sha512crypt, 16, 86)
            }
        guard salt.utf8.count <= saltBytes, hash.utf8.count == hashBytes,
            (salt + hash).utf8.allSatisfy(CryptLetters.all.contains)
        else { return nil }
        self.init(function, rounds: rounds, salt: Array(salt.utf8), hash: Array(hash.utf8))
    }

    /// - Parameter text: 31 characters: one for the rounds, 8 of salt and 22 of the digest.
    private init?(phpass text: String) {
        let letters = Array(text.utf8)
        guard letters.count == 31, let exponent = CryptLetters.all.firstIndex(of: letters[0]),
            (7...30).contains(exponent),
            let hash = CryptLetters.bytes(letters[9...])
        else { return nil }
        self.init(.phpass, rounds: 1 << exponent, salt: Array(letters[1..<9]), hash: hash)
    }

    private init?(digest hash: PasswordHash) {
        guard let parts = PHCString(hash.text), let digest = Digest(rawValue: parts.function),
            let position = SaltPosition.allCases.first(where: { parts.number(Substring($0.rawValue)) == 1 }),
            parts.hash.count == digest.byteCount
        else { return nil }
        self.init(.digest(digest, position), salt: parts.salt, hash: parts.hash)
    }

    /// The form in which a reader of exports hands a digest over: `$sha256$start=1$salt$hash`.
    ///
    /// - Returns: `nil` when the hash has not the digest's length, or the salt is too long.
    package static func text(_ digest: Digest, _ position: SaltPosition, salt: [UInt8], hash: [UInt8]) -> PasswordHash?
    {
        guard hash.count == digest.byteCount, salt.count <= maximumSaltBytes else { return nil }
        let parts = [salt, hash].map(PHCString.text)
        return PasswordHash(text: "$\(digest.rawValue)$\(position.rawValue)=1$\(parts[0])$\(parts[1])")
    }
}

extension FastHash {
    /// What the function makes of a password, which has no null character; `nil` when the function refuses its salt.
    func made(of password: [UInt8]) -> [UInt8]? {
        switch function {
        case .md5crypt: crypt(password, "$1$")
        case .sha256crypt: crypt(password, "$5$rounds=\(rounds)$")
        case .sha512crypt: crypt(password, "$6$rounds=\(rounds)$")
        case .phpass: phpass(password)
        case .digest(let digest, .start): digest.made(of: salt + password)
        case .digest(let digest, .end): digest.made(of: password + salt)
        case .digest(let digest, .key): digest.made(of: password, key: salt)
        }
    }

    /// Whether a password made it.
    func fits(_ password: [UInt8]) -> Bool {
        guard !password.contains(0), let made = made(of: password) else { return false }
        return StoredHash.areEqual(made, hash)
    }

    private func crypt(_ password: [UInt8], _ head: String) -> [UInt8]? {
        let setting = "\(head)\(String(decoding: salt, as: UTF8.self))$"
        guard let text = StoredHash.crypt(password, setting), text.hasPrefix(setting) else { return nil }
        return Array(text.utf8.dropFirst(setting.utf8.count))
    }

    private func phpass(_ password: [UInt8]) -> [UInt8] {
        var digest = Insecure.MD5.hash(data: salt + password)
        for _ in 0..<rounds {
            var next = Insecure.MD5()
            digest.withUnsafeBytes { next.update(bufferPointer: $0) }
            password.withUnsafeBytes { next.update(bufferPointer: $0) }
            digest = next.finalize()
        }
        return Array(digest)
    }

    /// The name in PHC strings.
    var name: String {
        switch function {
        case .md5crypt: "md5crypt"
        case .sha256crypt: "sha256crypt"
        case .sha512crypt: "sha512crypt"
        case .phpass: "phpass"
        case .digest(let digest, let position): "\(digest.rawValue)-\(position.rawValue)"
        }
    }

    static func function(named name: Substring) -> Function? {
        switch name {
        case "md5crypt": return .md5crypt
        case "sha256crypt": return .sha256crypt
        case "sha512crypt": return .sha512crypt
        case "phpass": return .phpass
        default:
            guard let dash = name.lastIndex(of: "-"), let digest = Digest(rawValue: String(name[..<dash])),
                let position = SaltPosition(rawValue: String(name[name.index(after: dash)...]))
            else { return nil }
            return .digest(digest, position)
        }
    }
}

extension FastHash.Digest {
    package var byteCount: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha256, .sha3With256: 32
        case .sha384, .sha3With384: 48
        case .sha512, .sha3With512: 64
        }
    }

    /// The digest of a text; HMAC of it (RFC 2104) when there is a key.
    func made(of text: [UInt8], key: [UInt8]? = nil) -> [UInt8] {
        switch self {
        case .md5: Self.made(Insecure.MD5.self, text, key)
        case .sha1: Self.made(Insecure.SHA1.self, text, key)
        case .sha256: Self.made(SHA256.self, text, key)
        case .sha384: Self.made(SHA384.self, text, key)
        case .sha512: Self.made(SHA512.self, text, key)
        case .sha3With256: Self.made(SHA3_256.self, text, key)
        case .sha3With384: Self.made(SHA3_384.self, text, key)
        case .sha3With512: Self.made(SHA3_512.self, text, key)
        }
    }

    private static func made<Function: HashFunction>(
        _ function: Function.Type, _ text: [UInt8], _ key: [UInt8]?
    ) -> [UInt8] {
        guard let key else { return Array(Function.hash(data: text)) }
        return Array(HMAC<Function>.authenticationCode(for: text, using: SymmetricKey(data: key)))
    }
}

/// The letters of `crypt` and phpass, 6 bits each, the lowest bits first.
enum CryptLetters {
    static let all = Array("./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// - Returns: the bytes; `nil` for other letters, and when bits are left.
    static func bytes(_ letters: ArraySlice<UInt8>) -> [UInt8]? {
        var (bytes, bits, count): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        for byte in letters {
            guard let value = all.firstIndex(of: byte) else { return nil }
            bits |= UInt32(truncatingIfNeeded: value) << count
            count += 6
            guard count >= 8 else { continue }
            bytes.append(UInt8(truncatingIfNeeded: bits))
            (bits, count) = (bits >> 8, count - 8)
        }
        return bits == 0 ? bytes : nil
    }
}
