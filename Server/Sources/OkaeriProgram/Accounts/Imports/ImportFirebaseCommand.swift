import ArgumentParser
import Domain
import Foundation
import OkaeriWire
import PasswordHashes

/// `okaeri import firebase`
struct ImportFirebaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "firebase",
        abstract: "Take users in from Firebase Authentication.",
        discussion: """
            The file is that of “firebase auth:export users.json --format=json”. Ids, addresses, numbers, names, times, \
            custom claims, providers and the disabled state stay. Passwords stay with --hash-config, a file with the \
            project's hash parameters: base64_signer_key, base64_salt_separator, rounds and mem_cost, as the console shows \
            them at Authentication, Users, ⋮, or as JSON. The signer key is not stored.

            \(ImportUsersOptions.refusals) \
            Anonymous users come with --anonymous alone.

            Examples:
              okaeri import firebase users.json --hash-config hash.json \\
                --application 00VHj9mrbT8wn7Qk --dry-run
              okaeri import firebase users.json --hash-config hash.json \\
                --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var users: ForeignUsersOptions

    @Option(
        help: ArgumentHelp(
            "The hash parameters of the project, as the console shows them or as JSON.", valueName: "file"))
    var hashConfig: String?

    func run() async throws {
        let scrypt = try hashConfig.map { path in
            // Read once: a pipe has nothing more the second time.
            let bytes = try ForeignUsersOptions.smallFileBytes(path)
            return try Self.scrypt(in: Self.shown(bytes) ?? ForeignUsersOptions.json(bytes, of: path))
        }
        try await users.run(list: .users, FirebaseRecord(scrypt: scrypt).user)
    }

    /// The parameters as the console shows them: lines such as `rounds: 8,` between `hash_config {` and `}`, which is no JSON; `nil` for
    /// a text that does not begin so.
    private static func shown(_ bytes: [UInt8]) -> JSONValue? {
        let text = String(decoding: bytes, as: UTF8.self).withoutBlanksAndLineEnds
        guard let head = text.cut(at: "{"), head.before.withoutBlanks == "hash_config" else { return nil }
        var members: [String: JSONValue] = [:]
        for line in head.after.pieces(at: "\n") {
            guard let member = line.cut(at: ":") else { continue }
            let (name, word) = (member.before.withoutBlanks, member.after.before(",").withoutBlanksAndLineEnds)
            let number = name.hasPrefix("base64") ? nil : Int64(word, radix: 10)
            members[name] = number.map { .integer($0) } ?? .string(word)
        }
        return .object(members)
    }

    /// The parameters of a JSON file, alone or as `hash_config`.
    private static func scrypt(in value: JSONValue) throws(CommandFault) -> FirebaseScrypt {
        guard case .object(var members) = value else { throw .failed("The hash parameters are no JSON object.") }
        if case .object(let inner)? = members["hash_config"] { members = inner }
        guard case .string(let key)? = members["base64_signer_key"], let signerKey = Data(base64Encoded: key),
            case .string(let text)? = members["base64_salt_separator"], let separator = Data(base64Encoded: text),
            case .integer(let rounds)? = members["rounds"], case .integer(let memoryCost)? = members["mem_cost"],
            let scrypt = FirebaseScrypt(
                signerKey: Array(signerKey), saltSeparator: Array(separator), rounds: Int(clamping: rounds),
                memoryCost: Int(clamping: memoryCost))
        else {
            throw .failed(
                """
                The hash parameters must have base64_signer_key, base64_salt_separator, rounds and mem_cost, with costs that \
                one log-in may have. The console shows them at Authentication, Users, ⋮.
                """)
        }
        return scrypt
    }
}

/// Users of `auth:export`.
struct FirebaseRecord {
    /// `nil` when passwords are left behind.
    let scrypt: FirebaseScrypt?

    private static let mapping = RecordMapping(
        columns: [
            .id: "localId", .email: "email", .emailVerified: "emailVerified", .phone: "phoneNumber",
            .displayName: "displayName", .createdAt: "createdAt", .lastLogInAt: "lastSignedInAt",
            .disabled: "disabled",
        ],
        fields: ["photoUrl": "photoUrl"], metadata: ["customAttributes"])

    func user(
        _ value: JSONValue, of application: Identifier<Application>, at now: Timestamp
    ) throws(ImportFault) -> ImportedUser {
        var (imported, record) = try Self.mapping.user(value, of: application, at: now)
        // The number is what an SMS was sent to.
        if imported.user.phone != nil { imported.user.phoneVerifiedAt = imported.user.createdAt }
        let own: Set<String> = ["password", "phone"]
        imported.link(record.accounts("providerUserInfo", provider: "providerId", subject: "rawId", except: own))
        if let hash = record.text("passwordHash", faultAt: "password") {
            guard let scrypt else {
                throw record.fault("has a password; --hash-config names the parameters of its hash")
            }
            let base64 = OldPasswordHash.Encoding.base64
            guard let bytes = base64.bytes(of: hash), let salt = base64.bytes(of: record.text("salt") ?? ""),
                let stored = scrypt.hash(bytes, salt: salt)
            else {
                imported.faults.append(ValidationError(field: "password", rule: .notATriableHash))
                return imported.with(record)
            }
            imported.hash = stored
        }
        return imported.with(record)
    }
}
