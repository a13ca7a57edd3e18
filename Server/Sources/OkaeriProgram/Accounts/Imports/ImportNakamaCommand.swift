import ArgumentParser
import Domain
import OkaeriWire

/// `okaeri import nakama`
struct ImportNakamaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nakama",
        abstract: "Take users in from Nakama.",
        discussion: """
            The file holds rows of Nakama's table users as JSON lines, each with the ids of its rows of user_device as \
            “devices”; the guide has the query. Ids, names, addresses, times, passwords (bcrypt), metadata, Apple, Google, \
            Facebook and Game Center ids, device ids and the disabled state stay. Custom ids are not kept.

            A device id is a UUID, or 32 to 64 hexadecimal digits, and leads to its user once, where the application takes them: \
            “okaeri old-service set nakama”. Others are refused, since they can be guessed; --partial takes such users in without \
            them.

            Examples:
              okaeri import nakama users.jsonl --application 00VHj9mrbT8wn7Qk --dry-run
              okaeri import nakama users.jsonl --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var users: ForeignUsersOptions

    func run() async throws {
        try await users.run(NakamaRecord.user)
    }
}

/// Rows of Nakama's table `users`, each with the ids of its devices.
enum NakamaRecord {
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

    static func user(
        _ value: JSONValue, of application: Identifier<Application>, at now: Timestamp
    ) throws(ImportFault) -> ImportedUser {
        var (imported, record) = try mapping.user(value, of: application, at: now)
        // The tables have the year 1970 for “never”.
        let never = Timestamp(milliseconds: 0)
        if imported.user.emailVerifiedAt == never { imported.user.emailVerifiedAt = nil }
        if let disabled = record.time("disable_time"), disabled != never { imported.user.disabledAt = disabled }
        for (name, value) in imported.user.fields where value == "" { imported.user.fields[name] = nil }
        return withDevices(imported, of: record).with(record)
    }

    /// The user with the ids of its devices: texts, or rows of `user_device`.
    private static func withDevices(_ user: ImportedUser, of record: ExportedRecord) -> ImportedUser {
        var imported = user
        var ids: [String?] = []
        var value = record.value("devices")
        if value == "" { value = nil }
        // A file of CSV has the list as a text. What is no JSON stays a text, which is a fault below.
        if case .string(let text)? = value, let list = try? JSONValue(parsing: Array(text.utf8)) { value = list }
        switch value {
        case nil: return imported
        case .array(let devices)?:
            ids = devices.map { device in
                if case .object(let row) = device { return row["id"].flatMap(ExportedRecord.text) }
                return ExportedRecord.text(device)
            }
        default: ids = [nil]
        }
        if ids.count > OldDeviceId.maximumCount {
            imported.add(.tooManyFields(maximum: OldDeviceId.maximumCount), at: "identities.device")
        }
        for id in Set(ids.prefix(OldDeviceId.maximumCount)).sorted(by: { $0 ?? "" < $1 ?? "" }) {
            guard let known = id.flatMap(OldDeviceId.init) else {
                imported.add(.otherType, at: "identities.device")
                continue
            }
            imported.user.identities.append(known.identity(linkedAt: imported.user.createdAt))
        }
        return imported
    }
}
