package import Domain
import Foundation

/// Hashes as services wrote them, in the form that the import takes (`StoredHash`, `FastHash`).
package enum OldPasswordHash {
    /// Whether a text stands for a user without a password.
    package static func isNone(_ text: String) -> Bool { text.isEmpty || text == "*" || text.hasPrefix("!") }

    /// - Parameter text: PHC, bcrypt, `$1$`, `$5$`, `$6$`, phpass, a form of Django's or of LDAP's (RFC 2307), `$fbscrypt$` of
    ///   Supabase; bcrypt of an `htpasswd` and bytes of PostgreSQL (`\x…`) too.
    /// - Returns: the hash; `nil` for marks of users without one. What is none of these stays, and is refused by the import.
    package static func stored(_ text: String) -> PasswordHash? {
        if isNone(text) { return nil }
        if text.hasPrefix("\\x"), let bytes = Encoding.hex.bytes(of: text.dropFirst(2)) {
            return bytes.isEmpty ? nil : stored(String(decoding: bytes, as: UTF8.self))
        }
        if text.hasPrefix("{") { return ldap(text) ?? PasswordHash(text: text) }
        if text.hasPrefix("$fbscrypt$") { return FirebaseScrypt.stored(text) ?? PasswordHash(text: text) }
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        return django(parts) ?? PasswordHash(text: text)
    }

    /// The forms of Django's hashers: `pbkdf2_sha256$600000$salt$hash`.
    private static func django(_ parts: [Substring]) -> PasswordHash? {
        switch parts.first {
        case "argon2"?, "bcrypt"?:
            // The name of the hasher is in front of “argon2id$…” and “$2b$…”.
            let rest = parts.dropFirst().joined(separator: "$")
            return PasswordHash(text: rest.hasPrefix("$") ? rest : "$\(rest)")
        case "pbkdf2_sha256"?, "pbkdf2_sha1"?:
            guard parts.count == 4, let rounds = Int(parts[1], radix: 10),
                let hash = Encoding.base64.bytes(of: parts[3])
            else { return nil }
            let function = parts[0] == "pbkdf2_sha1" ? "sha1" : "sha256"
            return pbkdf2(function, rounds: rounds, salt: Array(parts[2].utf8), hash: hash)
        case "scrypt"?:
            guard parts.count == 6, let cost = Int(parts[1], radix: 10), let block = Int(parts[3], radix: 10),
                let parallelism = Int(parts[4], radix: 10), let hash = Encoding.base64.bytes(of: parts[5])
            else { return nil }
            return scrypt(cost, block, parallelism, salt: Array(parts[2].utf8), hash: hash)
        case let name?:
            // Old hashers, and their like: the salt is in front of the password.
            guard parts.count == 3, let digest = FastHash.Digest(rawValue: String(name)),
                let hash = Encoding.hex.bytes(of: parts[2])
            else { return nil }
            return FastHash.text(digest, .start, salt: Array(parts[1].utf8), hash: hash)
        case nil: return nil
        }
    }

    /// `{SSHA}` and its like: base64 of the digest and the salt that stands behind the password; `{CRYPT}` for `crypt`.
    package static func ldap(_ text: String) -> PasswordHash? {
        guard text.hasPrefix("{"), let end = text.firstIndex(of: "}") else { return nil }
        let (name, rest) = (text.dropFirst().prefix { $0 != "}" }.lowercased(), text[text.index(after: end)...])
        if name == "crypt" { return PasswordHash(text: String(rest)) }
        let isSalted = name.hasPrefix("ssha") || name == "smd5"
        guard let digest = FastHash.Digest(rawValue: isSalted ? String(name.dropFirst()) : name) ?? sha(name, isSalted),
            let bytes = Encoding.base64.bytes(of: rest), bytes.count >= digest.byteCount,
            isSalted || bytes.count == digest.byteCount
        else { return nil }
        let hash = Array(bytes.prefix(digest.byteCount))
        return FastHash.text(digest, .end, salt: Array(bytes.dropFirst(digest.byteCount)), hash: hash)
    }

    /// `SHA` stands for SHA-1.
    private static func sha(_ name: String, _ isSalted: Bool) -> FastHash.Digest? {
        name == (isSalted ? "ssha" : "sha") ? .sha1 : nil
    }

    /// PBKDF2 as a PHC string. The function is `sha1`, `sha256` or `sha512`; the import refuses others.
    package static func pbkdf2(_ function: String, rounds: Int, salt: [UInt8], hash: [UInt8]) -> PasswordHash {
        PasswordHash(text: "$pbkdf2-\(function)$i=\(rounds)$\(PHCString.text(salt))$\(PHCString.text(hash))")
    }

    /// Argon2 of version 1.3 as a PHC string. The variant is `id` or `i`; the import refuses others.
    package static func argon2(
        _ variant: String, memoryKiB: Int, passes: Int, parallelism: Int, salt: [UInt8], hash: [UInt8]
    ) -> PasswordHash {
        let parts = [salt, hash].map(PHCString.text)
        let cost = "m=\(memoryKiB),t=\(passes),p=\(parallelism)"
        return PasswordHash(text: "$argon2\(variant)$v=19$\(cost)$\(parts[0])$\(parts[1])")
    }

    /// scrypt as a PHC string.
    ///
    /// - Returns: `nil` when the cost is no power of two.
    package static func scrypt(
        _ cost: Int, _ blockSize: Int, _ parallelism: Int, salt: [UInt8], hash: [UInt8]
    ) -> PasswordHash? {
        guard cost > 1, cost.nonzeroBitCount == 1 else { return nil }
        let parts = [salt, hash].map(PHCString.text)
        return PasswordHash(
            text: "$scrypt$ln=\(cost.trailingZeroBitCount),r=\(blockSize),p=\(parallelism)$\(parts[0])$\(parts[1])")
    }

    /// How a service writes bytes in a text.
    package enum Encoding: String, CaseIterable, Sendable {
        case hex, base64
        /// The bytes of the text itself.
        case utf8

        /// - Returns: `nil` when the text is none of this form, or longer than any hash.
        package func bytes(of text: some StringProtocol) -> [UInt8]? {
            guard text.utf8.count <= 2048 else { return nil }
            switch self {
            case .utf8: return Array(text.utf8)
            case .base64:
                // Both alphabets, with or without padding.
                let standard = String(text).replacing("-", with: "+").replacing("_", with: "/").replacing("=", with: "")
                let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
                return Data(base64Encoded: standard + padding).map(Array.init)
            case .hex:
                let digits = text.utf8.map { Hexadecimal.digit($0) }
                guard digits.count % 2 == 0 else { return nil }
                var bytes: [UInt8] = []
                for index in stride(from: 0, to: digits.count, by: 2) {
                    guard let high = digits[index], let low = digits[index + 1] else { return nil }
                    bytes.append(high << 4 | low)
                }
                return bytes
            }
        }
    }
}
