import Domain
import OkaeriWire
import PasswordHashes

/// How a service made hashes that do not name their function: one digest of the password and a salt.
struct DigestColumns {
    let digest: FastHash.Digest
    var position = FastHash.SaltPosition.start
    /// The path of the salt; `nil` when there is none.
    var salt: String?
    var encoding = OldPasswordHash.Encoding.hex
    var saltEncoding = OldPasswordHash.Encoding.utf8

    /// Reads `passwordDigest` of a mapping: an object with `function` and, as far as they differ from the standard, `salt` (a
    /// path), `saltAt`, `encoding` and `saltEncoding`.
    ///
    /// - Throws: `CommandFault` for anything else.
    init(_ value: JSONValue) throws(CommandFault) {
        guard case .object(let members) = value, let function = members["function"] else {
            throw .failed("passwordDigest of the mapping is no object with a function.")
        }
        digest = try Self.choice(function, of: "function")
        for (name, value) in members {
            switch name {
            case "function": break
            case "salt":
                guard case .string(let path) = value, !path.isEmpty else {
                    throw .failed("passwordDigest.salt of the mapping is no path.")
                }
                salt = path
            case "saltAt": position = try Self.choice(value, of: name)
            case "encoding": encoding = try Self.choice(value, of: name)
            case "saltEncoding": saltEncoding = try Self.choice(value, of: name)
            default: throw .failed("passwordDigest of the mapping has “\(ExportedRecord.printable(name))”.")
            }
        }
    }

    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ value: JSONValue, of name: String
    ) throws(CommandFault) -> Choice {
        guard case .string(let text) = value, let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .failed("passwordDigest.\(name) of the mapping is none of \(choices).")
        }
        return choice
    }

    /// - Parameters:
    ///   - text: The hash. One that names its function is read as any other.
    ///   - record: What holds the salt.
    /// - Returns: `nil` for a hash or a salt that has not the form.
    func hash(_ text: String, in record: ExportedRecord) -> PasswordHash? {
        if text.contains("$") || text.hasPrefix("{") { return OldPasswordHash.stored(text) }
        guard let hash = encoding.bytes(of: text),
            let salt = saltEncoding.bytes(of: salt.flatMap(record.text) ?? "")
        else { return nil }
        return FastHash.text(digest, position, salt: salt, hash: hash)
    }
}
