import ArgumentParser
import Domain
import Foundation
import OkaeriWire
import PasswordHashes

/// `okaeri import supabase`
struct ImportSupabaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "supabase",
        abstract: "Take users in from Supabase.",
        discussion: """
            The file holds rows of auth.users as JSON lines or CSV, each with its rows of auth.identities as “identities”; \
            the guide has the query. Ids, addresses, numbers, times, passwords (bcrypt, Argon2), providers and user metadata \
            stay; a user who is banned until a time in the future is disabled. Users that were deleted are refused.

            Examples:
              okaeri import supabase users.jsonl --application 00VHj9mrbT8wn7Qk --dry-run
              okaeri import supabase users.jsonl --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var users: ForeignUsersOptions

    private static let mapping = RecordMapping(
        columns: [
            .id: "id", .email: "email", .emailVerified: "email_confirmed_at", .phone: "phone",
            .phoneVerified: "phone_confirmed_at", .displayName: "raw_user_meta_data.full_name",
            .createdAt: "created_at", .updatedAt: "updated_at", .lastLogInAt: "last_sign_in_at",
            .passwordHash: "encrypted_password",
        ],
        metadata: ["raw_user_meta_data"])

    func run() async throws {
        try await users.run { value, application, now throws(ImportFault) in
            var (imported, record) = try Self.mapping.user(value, of: application, at: now)
            guard record.value("deleted_at") == nil else { throw record.fault("was deleted") }
            // Supabase stores numbers without the plus sign.
            if let phone = imported.user.phone, !phone.hasPrefix("+") { imported.user.phone = "+\(phone)" }
            if let until = record.time("banned_until"), until > now { imported.user.disabledAt = now }
            for identity in record.list("identities") {
                guard case .string(let name)? = identity["provider"], name != "email", name != "phone" else { continue }
                // Before 2023 the name at the provider was the row's id.
                guard case .string(let subject)? = identity["provider_id"] ?? identity["id"], !subject.isEmpty else {
                    continue
                }
                imported.providerNames[.named(name)] = subject
            }
            return imported.with(record)
        }
    }
}

/// `okaeri import pocketbase`
struct ImportPocketBaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pocketbase",
        abstract: "Take users in from PocketBase.",
        discussion: """
            The file holds rows of an auth collection as JSON, each with its rows of _externalAuths as “externalAuths”; the \
            guide has the query. Ids, names, addresses, times, passwords (bcrypt) and providers stay. Other columns of the \
            collection become custom fields.

            Examples:
              okaeri import pocketbase users.json --application 00VHj9mrbT8wn7Qk --dry-run
              okaeri import pocketbase users.json --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var users: ForeignUsersOptions

    func run() async throws {
        try await users.run { value, application, now throws(ImportFault) in
            try PocketBaseRecord.user(value, of: application, at: now)
        }
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
        "emailVisibility", "externalAuths", "lastResetSentAt", "lastVerificationSentAt", "lastLoginAlertSentAt",
        "collectionId", "collectionName",
    ]

    static func user(
        _ value: JSONValue, of application: Identifier<Application>, at now: Timestamp
    ) throws(ImportFault) -> ImportedUser {
        let (mapped, record) = try mapping.user(value, of: application, at: now)
        var imported = mapped
        imported.hash = (record.text("password") ?? record.text("passwordHash")).flatMap(OldPasswordHash.stored)
        for (name, value) in record.members where !known.contains(name) && value != .null && value != "" {
            imported.user.fields[name] = value
        }
        for account in record.list("externalAuths") {
            guard case .string(let name)? = account["provider"], case .string(let subject)? = account["providerId"],
                !subject.isEmpty
            else { continue }
            imported.providerNames[.named(name)] = subject
        }
        return imported.with(record)
    }
}

/// `okaeri import nakama`
struct ImportNakamaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nakama",
        abstract: "Take users in from Nakama.",
        discussion: """
            The file holds rows of Nakama's table users as JSON lines; the guide has the query. Ids, names, addresses, times, \
            passwords (bcrypt), metadata, Apple, Google, Facebook and Game Center ids and the disabled state stay. Device ids \
            and custom ids are not kept.

            Examples:
              okaeri import nakama users.jsonl --application 00VHj9mrbT8wn7Qk --dry-run
              okaeri import nakama users.jsonl --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var users: ForeignUsersOptions

    private static let mapping = RecordMapping(
        columns: [
            .id: "id", .username: "username", .email: "email", .emailVerified: "verify_time",
            .displayName: "display_name", .locale: "lang_tag", .createdAt: "create_time", .updatedAt: "update_time",
            .passwordHash: "password",
        ],
        providers: [
            "apple": "apple_id", "google": "google_id", "facebook": "facebook_id", "gamecenter": "gamecenter_id",
        ],
        fields: ["avatarUrl": "avatar_url", "location": "location", "timezone": "timezone"], metadata: ["metadata"])

    func run() async throws {
        try await users.run { value, application, now throws(ImportFault) in
            var (imported, record) = try Self.mapping.user(value, of: application, at: now)
            // The tables have the year 1970 for “never”.
            let never = Timestamp(milliseconds: 0)
            if imported.user.emailVerifiedAt == never { imported.user.emailVerifiedAt = nil }
            if let disabled = record.time("disable_time"), disabled != never { imported.user.disabledAt = disabled }
            for (name, value) in imported.user.fields where value == "" { imported.user.fields[name] = nil }
            return imported.with(record)
        }
    }
}
