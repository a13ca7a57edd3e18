import ArgumentParser
import Domain
import OkaeriWire

/// `okaeri import cognito`
struct ImportCognitoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cognito",
        abstract: "Take users in from a user pool of Amazon Cognito.",
        discussion: """
            The file is CSV whose columns are attributes of the pool (sub, email, custom:team, …), with Username, \
            UserCreateDate, UserLastModifiedDate, Enabled and UserStatus beside them; or what “aws cognito-idp list-users” \
            prints, as JSON. Ids, names, addresses, numbers, times, attributes, identities at providers and the disabled \
            state stay. Cognito gives no password hashes out: users log in by a code or set a new password by mail.

            \(ImportUsersOptions.refusals(ofProvidersIn: "the pool"))

            Examples:
              okaeri import cognito users.csv --application 00VHj9mrbT8wn7Qk --dry-run
              okaeri import cognito users.json --provider Corp=oidc:corp \\
                --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var users: ForeignUsersOptions

    func run() async throws {
        try await users.run(list: RecordFile.List("Users", mayFollow: true), CognitoRecord.user)
    }
}

/// Users of a pool: a row of CSV, or an element of `Users`.
enum CognitoRecord {
    private static let standardAttributes = [
        "address", "birthdate", "family_name", "gender", "given_name", "middle_name", "nickname", "picture", "profile",
        "website", "zoneinfo",
    ]

    private static let mapping = RecordMapping(
        columns: [
            .id: "sub", .username: "Username", .email: "email", .emailVerified: "email_verified",
            .phone: "phone_number", .phoneVerified: "phone_number_verified", .displayName: "name", .locale: "locale",
            .createdAt: "UserCreateDate", .updatedAt: "UserLastModifiedDate",
        ],
        fields: standardAttributes.reduce(into: [:]) { $0[$1] = $1 }, times: .seconds)

    private static let customPrefix = "custom:"

    static func user(
        _ value: JSONValue, of application: Identifier<Application>, at now: Timestamp
    ) throws(ImportFault) -> ImportedUser {
        var (imported, record) = try mapping.user(flattened(value), of: application, at: now)
        let isEnabled = record.since("Enabled", otherwise: now) != nil
        if record.text("Enabled") != nil || record.value("Enabled") == .bool(false), !isEnabled {
            imported.user.disabledAt = imported.user.updatedAt
        }
        imported.user.locale = imported.user.locale?.replacing("_", with: "-")
        for (name, value) in record.members where name.hasPrefix(customPrefix) && value != .null && value != "" {
            imported.user.fields[String(name.dropFirst(customPrefix.count))] = value
        }
        imported.link(record.accounts("identities", provider: "providerName", subject: "userId", except: []))
        let isFederated = record.text("UserStatus") == "EXTERNAL_PROVIDER"
        if isFederated || isMade(imported.user) { imported.user.username = nil }
        if let preferred = record.text("preferred_username"), preferred != imported.user.username {
            // Users log in by it too. Beside a name of its own it is a value like others.
            if imported.user.username == nil {
                imported.user.username = preferred
            } else {
                imported.user.fields["preferred_username"] = .string(preferred)
            }
        }
        return imported.with(record)
    }

    /// Whether Cognito made the name up, or it is the address or number that the user logs in by.
    private static func isMade(_ user: User) -> Bool {
        user.username == user.id.rawValue || user.username?.lowercased() == user.email?.lowercased()
            || user.username == user.phone
    }

    /// Attributes as members; the name under one name, and as the id where the pool's id was left out.
    private static func flattened(_ value: JSONValue) -> JSONValue {
        ExportedRecord.replacing(value) { members in
            if case .array(let attributes)? = members["Attributes"] ?? members["UserAttributes"] {
                for case .object(let attribute) in attributes {
                    guard case .string(let name)? = attribute["Name"] else { continue }
                    members[name] = attribute["Value"]
                }
            }
            let name = members["Username"] ?? members["cognito:username"] ?? members["username"]
            members["Username"] = name
            if members["sub"] == nil { members["sub"] = name }
        }
    }
}
