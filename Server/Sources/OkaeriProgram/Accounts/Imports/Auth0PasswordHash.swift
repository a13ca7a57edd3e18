import Domain
import OkaeriWire
import PasswordHashes

/// `custom_password_hash` of Auth0's bulk import: a function with hash and salt, each in an encoding of its own.
enum Auth0PasswordHash {
    /// - Returns: `nil` for functions that are not known, and for members that do not fit together.
    static func stored(_ custom: [String: JSONValue]) -> PasswordHash? {
        guard case .string(let algorithm)? = custom["algorithm"], case .object(let hash)? = custom["hash"],
            case .string(let text)? = hash["value"], isUTF8(custom["password"])
        else { return nil }
        switch algorithm {
        // These have the salt in the text.
        case "argon2", "bcrypt", "pbkdf2": return OldPasswordHash.stored(text)
        case "ldap": return OldPasswordHash.ldap(text)
        case "scrypt":
            guard let bytes = bytes(hash, otherwise: .hex), let salt = salt(custom),
                let cost = number(custom, "cost", otherwise: 16_384),
                let block = number(custom, "blockSize", otherwise: 8),
                let parallelism = number(custom, "parallelization", otherwise: 1)
            else { return nil }
            return OldPasswordHash.scrypt(cost, block, parallelism, salt: salt, hash: bytes)
        case "hmac":
            guard case .string(let name)? = hash["digest"], let digest = FastHash.Digest(rawValue: name),
                case .object(let key)? = hash["key"], let keyBytes = bytes(key, otherwise: .utf8),
                custom["salt"] == nil,
                let bytes = bytes(hash, otherwise: .hex)
            else { return nil }
            return FastHash.text(digest, .key, salt: keyBytes, hash: bytes)
        default:
            guard let digest = FastHash.Digest(rawValue: algorithm), let bytes = bytes(hash, otherwise: .hex),
                let salt = salt(custom), let position = position(custom)
            else { return nil }
            return FastHash.text(digest, position, salt: salt, hash: bytes)
        }
    }

    /// Whether passwords were hashed as they are sent here.
    private static func isUTF8(_ password: JSONValue?) -> Bool {
        guard case .object(let members)? = password, case .string(let encoding)? = members["encoding"] else {
            return password == nil || password == .null || password == .object([:])
        }
        return ["utf8", "utf-8", "ascii"].contains(encoding)
    }

    private static func bytes(
        _ members: [String: JSONValue], otherwise: OldPasswordHash.Encoding
    ) -> [UInt8]? {
        guard case .string(let text)? = members["value"] else { return nil }
        guard case .string(let name)? = members["encoding"] else { return otherwise.bytes(of: text) }
        return OldPasswordHash.Encoding(rawValue: name)?.bytes(of: text)
    }

    private static func salt(_ custom: [String: JSONValue]) -> [UInt8]? {
        guard case .object(let salt)? = custom["salt"] else { return custom["salt"] == nil ? [] : nil }
        return bytes(salt, otherwise: .utf8)
    }

    /// In front of the password, unless the export says otherwise.
    private static func position(_ custom: [String: JSONValue]) -> FastHash.SaltPosition? {
        guard case .object(let salt)? = custom["salt"], case .string(let name)? = salt["position"] else {
            return .start
        }
        switch name {
        case "prefix": return .start
        case "suffix": return .end
        default: return nil
        }
    }

    private static func number(_ custom: [String: JSONValue], _ name: String, otherwise: Int) -> Int? {
        switch custom[name] {
        case nil: otherwise
        case .integer(let number)?: Int(exactly: number)
        default: nil
        }
    }
}
