import ArgumentParser
import Domain
import OkaeriWire

/// `okaeri import supabase`
struct ImportSupabaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "supabase",
        abstract: "Take users in from Supabase.",
        discussion: """
            The file holds rows of auth.users as JSON lines or CSV. Their rows of auth.identities stand in each as \
            “identities”, which the guide's query writes, or in a file of their own. Ids, addresses, numbers, times, passwords \
            (bcrypt, Argon2, those that came from Firebase), providers and user metadata stay; a user who is banned until a time \
            in the future is disabled. Users that were deleted are refused. App metadata stays with --app-metadata alone: users \
            can change fields, unless a rule says otherwise.

            Examples:
              okaeri import supabase users.jsonl --application 00VHj9mrbT8wn7Qk --dry-run
              okaeri import supabase users.jsonl --application 00VHj9mrbT8wn7Qk
              okaeri import supabase users.csv --identities identities.csv \\
                --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var users: ForeignUsersOptions

    @Option(help: ArgumentHelp("Rows of auth.identities, as JSON lines or .csv.", valueName: "file"))
    var identities: String?

    @OptionGroup var metadata: AppMetadataOption

    func run() async throws {
        let identities = try identities.map(SupabaseIdentities.init(readingFile:))
        let record = SupabaseRecord(identities: identities, takesAppMetadata: metadata.appMetadata)
        try await users.run(record.user)
    }
}

/// Rows of Supabase's `auth.users`, with their rows of `auth.identities` among their members or in a file of their own.
struct SupabaseRecord {
    let identities: SupabaseIdentities?
    let takesAppMetadata: Bool

    private static let mapping = RecordMapping(
        columns: [
            .id: "id", .email: "email", .emailVerified: "email_confirmed_at", .phone: "phone",
            .phoneVerified: "phone_confirmed_at", .displayName: "raw_user_meta_data.full_name",
            .createdAt: "created_at", .updatedAt: "updated_at", .lastLogInAt: "last_sign_in_at",
            .passwordHash: "encrypted_password",
        ],
        metadata: ["raw_user_meta_data"])

    func user(
        _ value: JSONValue, of application: Identifier<Application>, at now: Timestamp
    ) throws(ImportFault) -> ImportedUser {
        var mapping = Self.mapping
        if takesAppMetadata { mapping.metadata.append("raw_app_meta_data") }
        var (imported, record) = try mapping.user(Self.completed(value), of: application, at: now)
        guard record.value("deleted_at") == nil else { throw record.fault("was deleted") }
        // Supabase stores numbers without the plus sign.
        if let phone = imported.user.phone, !phone.hasPrefix("+") { imported.user.phone = "+\(phone)" }
        if let until = record.time("banned_until"), until > now { imported.user.disabledAt = now }
        for members in record.list("identities", faultAt: "identities.identities") {
            if let identity = SupabaseIdentities.identity(members) {
                imported.link(.named(identity.provider), identity.subject)
            } else if !SupabaseIdentities.isOwn(members) {
                imported.add(.otherType, at: "identities.identities")
            }
        }
        for identity in identities?.of(imported.user.id.rawValue) ?? [] {
            imported.link(.named(identity.provider), identity.subject)
        }
        return imported.with(record)
    }

    /// The row without the names of providers in its app metadata, which Supabase writes there itself.
    private static func completed(_ value: JSONValue) -> JSONValue {
        ExportedRecord.replacing(value) { members in
            guard var metadata = ExportedRecord.members(members["raw_app_meta_data"]) else { return }
            (metadata["provider"], metadata["providers"]) = (nil, nil)
            members["raw_app_meta_data"] = .object(metadata)
        }
    }
}
