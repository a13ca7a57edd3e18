import ArgumentParser
import Domain
import HTTPSupport
import OkaeriWire

/// `okaeri user device-keys`
struct ListDeviceKeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device-keys",
        abstract: "Show the keys by which a user's devices log in automatically.",
        discussion: """
            Device and last use are those of the newest session that the key opened, while one lives.

            Examples:
              okaeri user device-keys 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk
              okaeri user device-keys 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk \\
                --json
            """)

    @OptionGroup var user: UserOptions

    func run() async throws {
        let keys = try await user.perform(.readUser) { modules, id, application, _ throws(DomainError) in
            try await modules.accounts.listDeviceKeys(of: id, in: application.id)
        }
        guard !user.output.isJSON else {
            return Console.write(json: Output(deviceKeys: keys.map(Description.init(_:))))
        }
        guard !keys.isEmpty else { return Console.write("The user has no device key.") }
        var table = TextTable("THUMBPRINT", "DEVICE", "ADDED", "LAST USED")
        for key in keys {
            table.add(
                key.thumbprint, key.device.name ?? key.device.model ?? "–", key.addedAt.localText,
                key.lastUsedAt?.localText ?? "–")
        }
        Console.write(table.text())
    }

    private struct Output: Encodable {
        let deviceKeys: [Description]
    }

    private struct Description: Encodable {
        let thumbprint: String
        let name: String?
        let model: String?
        let addedAt: WireTime
        let lastUsedAt: WireTime?

        init(_ key: DeviceKey) {
            thumbprint = key.thumbprint
            name = key.device.name
            model = key.device.model
            addedAt = key.addedAt.wire
            lastUsedAt = key.lastUsedAt?.wire
        }
    }
}

/// `okaeri user remove-device-key`
struct RemoveDeviceKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-device-key",
        abstract: "Remove one device key of a user, or all of them.",
        discussion: """
            The device logs in automatically no more, its sessions end, and it learns why. It is let in again by a log-in by \
            other means. The last way into an account stays.

            Examples:
              okaeri user remove-device-key 00VHjA0kPq3ZsX1d \\
                NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs \\
                --application 00VHj9mrbT8wn7Qk
              okaeri user remove-device-key 00VHjA0kPq3ZsX1d --all \\
                --application 00VHj9mrbT8wn7Qk
            """)

    @Argument(help: "The user's id.")
    var id: String

    @Argument(help: "The key's thumbprint, as “okaeri user device-keys” tells it.")
    var thumbprint: String?

    @Flag(help: "Remove all keys of the user.")
    var all = false

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (thumbprint == nil) == all else { throw ValidationError("Give a thumbprint, or --all.") }
    }

    func run() async throws {
        let (id, applicationId, thumbprint) = (Identifier<User>(rawValue: id), application.id, thumbprint)
        let removed = try await storage.perform(thumbprint == nil ? .removeAllDeviceKeys : .removeDeviceKey) {
            modules, who throws(DomainError) -> Int in
            let application = try await modules.applications.findApplication(applicationId)
            guard let thumbprint else {
                return try await modules.accounts.removeDeviceKeys.others(
                    of: id, in: application, by: .operator(who))
            }
            try await modules.accounts.removeDeviceKeys(thumbprint, of: id, in: application, by: .operator(who))
            return 1
        }
        guard !output.isJSON else { return Console.write(json: RemovedDeviceKeysResponse(removed: removed)) }
        Console.write(removed == 1 ? "One device key was removed." : "\(removed) device keys were removed.")
    }
}

/// `okaeri user log-out`
struct LogOutUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log-out",
        abstract: "Log a user out everywhere.",
        discussion: """
            Sessions of every protocol, device keys, codes, transfer codes, merge tickets and authorization codes end. Device \
            keys stay when nothing else leads to the user.

            Examples:
              okaeri user log-out 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var user: UserOptions

    func run() async throws {
        let ended = try await user.perform(.endAllSessions) { modules, id, application, who throws(DomainError) in
            try await modules.administration.users.endAllSessions(of: id, in: application, by: who)
        }
        guard !user.output.isJSON else {
            return Console.write(
                json: EndedSessionsResponse(ended: ended.sessions, removedDeviceKeys: ended.deviceKeys))
        }
        Console.write("Sessions ended: \(ended.sessions). Device keys removed: \(ended.deviceKeys).")
    }
}
