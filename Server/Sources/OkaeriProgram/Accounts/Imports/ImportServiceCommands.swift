import ArgumentParser
import Domain
import Foundation
import OkaeriWire
import PasswordHashes

/// `okaeri import pocketbase`
struct ImportPocketBaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pocketbase",
        abstract: "Take users in from PocketBase.",
        discussion: """
            The file holds rows of an auth collection as JSON, each with its rows of _externalAuths as “externalAuths” and the \
            types of its columns as “fieldTypes”; the guide has the query. Ids, names, addresses, times, passwords (bcrypt) and \
            providers stay. Other columns of the collection become custom fields.

            Examples:
              okaeri import pocketbase users.json --application 00VHj9mrbT8wn7Qk --dry-run
              okaeri import pocketbase users.json --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var users: ForeignUsersOptions

    func run() async throws {
        try await users.run(PocketBaseRecord.user)
    }
}

/// Rows of an auth collection with their external accounts.
enum PocketBaseRecord {
    private static let mapping = RecordMapping(columns: [
        .id: "id", .username: "username", .email: "email", .emailVerified: "verified", .displayName: "name",
        .createdAt: "created", .updatedAt: "updated",
    ])

    /// Columns that are no values of the app's own.
    private static let known: Set<String> = [
        "id", "username", "email", "verified", "name", "created", "updated", "password", "passwordHash", "tokenKey",
        "emailVisibility", "externalAuths", "fieldTypes", "lastResetSentAt", "lastVerificationSentAt",
        "lastLoginAlertSentAt", "collectionId", "collectionName",
    ]
    /// Types of columns that have a list, as JSON, when a record may have several values.
    private static let listed: Set<String> = ["select", "file", "relation"]

    static func user(
        _ value: JSONValue, of application: Identifier<Application>, at now: Timestamp
    ) throws(ImportFault) -> ImportedUser {
        var (imported, record) = try mapping.user(value, of: application, at: now)
        let types = record.object("fieldTypes")
        let hash = record.text("password", faultAt: "password") ?? record.text("passwordHash", faultAt: "password")
        imported.hash = hash.flatMap(OldPasswordHash.stored)
        for (name, value) in record.members where !known.contains(name) && value != .null && value != "" {
            imported.user.fields[name] = typed(value, as: types[name])
        }
        imported.link(record.accounts("externalAuths", provider: "provider", subject: "providerId", except: []))
        return imported.with(record)
    }

    /// A value of a row as PocketBase's API shows it: SQLite knows neither truth values nor JSON.
    ///
    /// - Returns: `nil` for the null of JSON.
    private static func typed(_ value: JSONValue, as type: JSONValue?) -> JSONValue? {
        guard case .string(let type)? = type else { return value }
        switch value {
        case .integer(0) where type == "bool": return false
        case .integer(1) where type == "bool": return true
        case .string(let text) where type == "json" || type == "geoPoint" || listed.contains(type):
            // What is no JSON stays the text that it is.
            guard let parsed = try? JSONValue(parsing: Array(text.utf8)) else { return value }
            if case .array = parsed { return parsed }
            guard !listed.contains(type) else { return value }
            return parsed == .null ? Optional.none : parsed
        default: return value
        }
    }
}
