import ArgumentParser
import Domain
import OkaeriWire
import PasswordHashes

/// `okaeri import appwrite`
struct ImportAppwriteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "appwrite",
        abstract: "Take users in from Appwrite.",
        discussion: """
            The file holds users as the server API lists them, as JSON lines or as the list's document, each with its \
            identities as “identities”; the guide has the commands. Ids, names, addresses, numbers, times, preferences, \
            identities at providers, the blocked state and passwords of every algorithm stay: argon2, bcrypt, scrypt, \
            scryptMod, phpass, md5 and sha. The last three are wrapped in Argon2id.

            \(ImportUsersOptions.refusals) \
            Anonymous users come with --anonymous alone.

            Examples:
              okaeri import appwrite users.jsonl --application 00VHj9mrbT8wn7Qk --dry-run
              okaeri import appwrite users.jsonl --sha sha512 \\
                --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var users: ForeignUsersOptions

    @Option(
        help: ArgumentHelp(
            "The version of sha of users whose hash options name none: sha1, sha256, sha384, sha512, sha3-256, …",
            valueName: "version"))
    var sha: String?

    func validate() throws {
        if let sha, FastHash.Digest(rawValue: sha) == nil {
            let versions = FastHash.Digest.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--sha must be one of \(versions).")
        }
    }

    func run() async throws {
        try await users.run(list: .users, AppwriteRecord(sha: sha.flatMap(FastHash.Digest.init)).user)
    }
}

/// Users of the server API's list.
struct AppwriteRecord {
    /// The digest of hashes that say `sha` alone.
    let sha: FastHash.Digest?

    private static let mapping = RecordMapping(
        columns: [
            .id: "$id", .email: "email", .emailVerified: "emailVerification", .phone: "phone",
            .phoneVerified: "phoneVerification", .displayName: "name", .createdAt: "$createdAt",
            .updatedAt: "$updatedAt", .lastLogInAt: "accessedAt",
        ],
        metadata: ["prefs"])

    func user(
        _ value: JSONValue, of application: Identifier<Application>, at now: Timestamp
    ) throws(ImportFault) -> ImportedUser {
        var (imported, record) = try Self.mapping.user(Self.completed(value), of: application, at: now)
        if record.value("status") == .bool(false) { imported.user.disabledAt = imported.user.updatedAt }
        imported.link(record.accounts("identities", provider: "provider", subject: "providerUid", except: []))
        guard let text = record.text("password", faultAt: "password") else { return imported.with(record) }
        let options = record.object("hashOptions")
        let name = record.text("hash") ?? options["type"].flatMap(ExportedRecord.text) ?? ""
        if name == "plaintext" {
            imported.password = Secret(text)
        } else {
            imported.hash = hash(text, name, options)
            if imported.hash == nil { imported.add(.notATriableHash, at: "password") }
        }
        return imported.with(record)
    }

    /// PHP writes empty preferences as a list.
    private static func completed(_ value: JSONValue) -> JSONValue {
        ExportedRecord.replacing(value) { members in
            for name in ["prefs", "hashOptions"] where members[name] == [] { members[name] = nil }
        }
    }

    private func hash(_ text: String, _ name: String, _ options: [String: JSONValue]) -> PasswordHash? {
        let (hex, base64) = (OldPasswordHash.Encoding.hex, OldPasswordHash.Encoding.base64)
        func option(_ names: String...) -> String? {
            names.lazy.compactMap { options[$0].flatMap(ExportedRecord.text) }.first
        }
        switch name {
        case "argon2", "bcrypt", "phpass": return OldPasswordHash.stored(text)
        case "md5": return hex.bytes(of: text).flatMap { FastHash.text(.md5, .start, salt: [], hash: $0) }
        case "sha":
            guard let hash = hex.bytes(of: text),
                let digest = option("version").map({ FastHash.Digest(rawValue: $0) }) ?? sha
            else { return nil }
            return FastHash.text(digest, .start, salt: [], hash: hash)
        case "scrypt":
            guard let hash = hex.bytes(of: text), let salt = option("salt"),
                let cost = option("costCpu", "cost_cpu").flatMap({ Int($0, radix: 10) }),
                let block = option("costMemory", "cost_memory").flatMap({ Int($0, radix: 10) }),
                let parallelism = option("costParallel", "cost_parallel").flatMap({ Int($0, radix: 10) })
            else { return nil }
            return OldPasswordHash.scrypt(cost, block, parallelism, salt: Array(salt.utf8), hash: hash)
        case "scryptMod":
            // Firebase's scrypt with its usual costs.
            guard let hash = base64.bytes(of: text), let salt = option("salt").flatMap(base64.bytes),
                let separator = option("saltSeparator", "salt_separator").flatMap(base64.bytes),
                let key = option("signerKey", "signer_key").flatMap(base64.bytes)
            else { return nil }
            return FirebaseScrypt(signerKey: key, saltSeparator: separator, rounds: 8, memoryCost: 14)?
                .hash(hash, salt: salt)
        default: return nil
        }
    }
}
