import ArgumentParser
import Domain
import OkaeriWire
import PasswordHashes

/// `okaeri import auth0`
struct ImportAuth0Command: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "auth0",
        abstract: "Take users in from Auth0.",
        discussion: """
            The file has JSON lines: the export job's, with “passwordHash” of the password export that Auth0's support gives \
            out, joined by the guide's command; the password export alone; or users of the form of a bulk import, with \
            “custom_password_hash”. Ids, addresses, numbers, names, times, user metadata, identities at providers, passwords \
            and the blocked state stay. App metadata stays with --app-metadata alone: users can change fields, unless a rule \
            says otherwise.

            \(ImportUsersOptions.refusals)

            Examples:
              okaeri import auth0 users.jsonl --application 00VHj9mrbT8wn7Qk --dry-run
              okaeri import auth0 users.jsonl --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var users: ForeignUsersOptions

    @OptionGroup var metadata: AppMetadataOption

    func run() async throws {
        try await users.run(list: .users, Auth0Record(takesAppMetadata: metadata.appMetadata).user)
    }
}

/// Users of an export job, of a password export, or of a bulk import.
struct Auth0Record {
    let takesAppMetadata: Bool

    private static let mapping = RecordMapping(
        columns: [
            .id: "user_id", .username: "username", .email: "email", .emailVerified: "email_verified",
            .phone: "phone_number", .phoneVerified: "phone_verified", .displayName: "name", .locale: "locale",
            .createdAt: "created_at", .updatedAt: "updated_at", .lastLogInAt: "last_login", .disabled: "blocked",
        ],
        fields: [
            "picture": "picture", "nickname": "nickname", "given_name": "given_name", "family_name": "family_name",
        ],
        metadata: ["user_metadata"])

    /// Connections whose users Auth0 itself keeps: name and password, codes by mail and text message.
    private static let own: Set<String> = ["auth0", "email", "sms"]
    /// Providers of which the connection says which one it is.
    private static let generic: Set<String> = ["oauth2", "oidc", "samlp", "waad", "adfs", "ad", "pingfederate", "okta"]

    func user(
        _ value: JSONValue, of application: Identifier<Application>, at now: Timestamp
    ) throws(ImportFault) -> ImportedUser {
        var mapping = Self.mapping
        if takesAppMetadata { mapping.metadata.append("app_metadata") }
        var (imported, record) = try mapping.user(Self.completed(value), of: application, at: now)
        // Auth0 writes the address where it knows no name.
        if imported.user.displayName == imported.user.email { imported.user.displayName = nil }
        imported.user.locale = imported.user.locale?.replacing("_", with: "-")
        for account in record.accounts("identities", provider: "provider", subject: "user_id", except: Self.own) {
            guard Self.generic.contains(account.provider), case .string(let connection)? = account.members["connection"]
            else {
                imported.link(.named(account.provider), account.subject)
                continue
            }
            // The connection's name stands before the name at an enterprise provider.
            let (prefix, subject) = ("\(connection)|", account.subject)
            imported.link(
                .named(connection), subject.hasPrefix(prefix) ? String(subject.dropFirst(prefix.count)) : subject)
        }
        if let text = record.text("passwordHash", faultAt: "password")
            ?? record.text("password_hash", faultAt: "password")
        {
            imported.hash = OldPasswordHash.stored(text)
        } else if record.value("custom_password_hash") != nil {
            let custom = record.object("custom_password_hash")
            imported.hash = Auth0PasswordHash.stored(custom)
            if imported.hash == nil { imported.add(.notATriableHash, at: "password") }
        }
        return imported.with(record)
    }

    /// The password export has the id without its first part, and may have identifiers in a list alone.
    private static func completed(_ value: JSONValue) -> JSONValue {
        ExportedRecord.replacing(value) { members in
            if members["user_id"] == nil {
                var id = members["alt_id"]
                if id == nil, case .object(let wrapped)? = members["_id"] { id = wrapped["$oid"] }
                if case .string(let text)? = id, !text.isEmpty { members["user_id"] = .string("auth0|\(text)") }
            }
            guard case .array(let identifiers)? = members["identifiers"] else { return }
            for case .object(let identifier) in identifiers {
                guard case .string(let type)? = identifier["type"],
                    ["email", "username", "phone_number"].contains(type),
                    members[type] == nil
                else { continue }
                members[type] = identifier["value"]
                switch type {
                case "email": members["email_verified"] = identifier["verified"]
                case "phone_number": members["phone_verified"] = identifier["verified"]
                default: break
                }
            }
        }
    }
}
