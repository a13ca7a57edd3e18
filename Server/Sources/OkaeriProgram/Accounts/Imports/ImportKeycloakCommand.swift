import ArgumentParser
import Domain
import OkaeriWire
import PasswordHashes

/// `okaeri import keycloak`
struct ImportKeycloakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keycloak",
        abstract: "Take users in from a realm of Keycloak.",
        discussion: """
            The file is a realm with its users, as “kc.sh export --users realm_file” writes it, or one of the files of \
            “--users different_files”. Ids, names, addresses, times, attributes, passwords (PBKDF2, Argon2), identities at \
            providers and the disabled state stay. Service accounts are refused.

            \(ImportUsersOptions.refusals(ofProvidersIn: "the realm"))

            Examples:
              okaeri import keycloak realm.json --application 00VHj9mrbT8wn7Qk --dry-run
              okaeri import keycloak realm.json --provider corp=oidc:corp \\
                --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var users: ForeignUsersOptions

    func run() async throws {
        try await users.run(list: .users, KeycloakRecord.user)
    }
}

/// Users of a realm's export.
enum KeycloakRecord {
    private static let mapping = RecordMapping(columns: [
        .id: "id", .username: "username", .email: "email", .emailVerified: "emailVerified",
        .createdAt: "createdTimestamp",
    ])

    static func user(
        _ value: JSONValue, of application: Identifier<Application>, at now: Timestamp
    ) throws(ImportFault) -> ImportedUser {
        var (imported, record) = try mapping.user(value, of: application, at: now)
        guard record.value("realm") == nil else { throw record.fault("is a realm without its users") }
        guard record.value("serviceAccountClientId") == nil else { throw record.fault("is the account of a service") }
        if record.value("enabled") == .bool(false) { imported.user.disabledAt = imported.user.updatedAt }
        // A realm whose users log in by their addresses has these as names too.
        if let name = imported.user.username, name.lowercased() == imported.user.email?.lowercased() {
            imported.user.username = nil
        }
        let names = [record.text("firstName"), record.text("lastName")].compactMap { $0 }
        if !names.isEmpty { imported.user.displayName = names.joined(separator: " ") }
        for name in ["firstName", "lastName"] { imported.user.fields[name] = record.value(name) }
        for (name, value) in record.object("attributes") {
            let value = alone(value)
            if name == "locale", case .string(let tag) = value {
                imported.user.locale = tag
            } else {
                imported.user.fields[name] = value
            }
        }
        imported.link(
            record.accounts("federatedIdentities", provider: "identityProvider", subject: "userId", except: []))
        for credential in record.list("credentials", faultAt: "password") where credential["type"] == "password" {
            if case .string(let password)? = credential["value"] {
                imported.password = Secret(password)
            } else {
                imported.hash = hash(credential)
                if imported.hash == nil { imported.add(.notATriableHash, at: "password") }
            }
        }
        return imported.with(record)
    }

    /// Each attribute is a list; that of one value is the value.
    private static func alone(_ value: JSONValue) -> JSONValue {
        if case .array(let values) = value, values.count == 1, let first = values.first { first } else { value }
    }

    /// A password credential: `secretData` and `credentialData` are texts of JSON; before version 8 there were members
    /// of the credential itself.
    private static func hash(_ credential: [String: JSONValue]) -> PasswordHash? {
        let base64 = OldPasswordHash.Encoding.base64
        let secret = ExportedRecord.members(credential["secretData"]) ?? credential
        let data = ExportedRecord.members(credential["credentialData"]) ?? credential
        guard case .string(let text)? = secret["value"] ?? secret["hashedSaltedValue"],
            let hash = base64.bytes(of: text),
            case .string(let saltText)? = secret["salt"], let salt = base64.bytes(of: saltText),
            let rounds = number(data["hashIterations"])
        else { return nil }
        guard case .string(let algorithm)? = data["algorithm"] else { return nil }
        switch algorithm {
        case "pbkdf2": return OldPasswordHash.pbkdf2("sha1", rounds: rounds, salt: salt, hash: hash)
        case "pbkdf2-sha256", "pbkdf2-sha512":
            return OldPasswordHash.pbkdf2(String(algorithm.dropFirst(7)), rounds: rounds, salt: salt, hash: hash)
        case "argon2":
            let parameters = ExportedRecord.members(data["additionalParameters"]) ?? [:]
            guard alone(parameters["version"] ?? "1.3") == "1.3",
                case .string(let type) = alone(parameters["type"] ?? "id"),
                let memory = number(parameters["memory"]), let parallelism = number(parameters["parallelism"])
            else { return nil }
            return OldPasswordHash.argon2(
                type, memoryKiB: memory, passes: rounds, parallelism: parallelism, salt: salt, hash: hash)
        default: return nil
        }
    }

    private static func number(_ value: JSONValue?) -> Int? {
        value.flatMap { ExportedRecord.text(alone($0)) }.flatMap { Int($0, radix: 10) }
    }
}
