import ArgumentParser
import Domain

/// `okaeri application show`
struct ShowApplicationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one application with its settings.",
        discussion: """
            The admin key is not among them: only a digest of it is stored.

            Examples:
              okaeri application show 00VHj9mrbT8wn7Qk
              okaeri application show 00VHj9mrbT8wn7Qk --json
            """)

    @Argument(help: "The application's id.")
    var id: String

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let id = Identifier<Application>(rawValue: id)
        let entry = try await storage.perform(.readSettings) { modules, who throws(DomainError) in
            let entries = try await modules.applications.listApplications()
            guard let entry = entries.first(where: { $0.application.id == id }) else { throw .applicationUnknown }
            return entry
        }
        guard !output.isJSON else { return Console.write(json: ApplicationDescription(entry)) }
        let (application, settings) = (entry.application, entry.application.settings)
        Console.write(
            TextTable([
                "id": application.id.rawValue,
                "name": application.name,
                "created": application.createdAt.localText,
                "users": String(entry.userCount),
                "proof required": settings.proofRequired ? "yes" : "no",
                "session, unused": settings.sessionIdleLifetime.daysText,
                "session, at most": settings.sessionLifetime.daysText,
                "password, from": "\(settings.passwordMinimumCharacters) characters",
                "password alone, from": "\(settings.passwordOnlyMinimumCharacters) characters",
                "weak passwords": entry.weakPasswords.users == 0
                    ? nil
                    : "\(entry.weakPasswords.users.counted("user")), \(entry.weakPasswords.usersWithoutDeviceKey) of them "
                        + "without a device key",
                "audiences": settings.audiences.joined(separator: " "),
            ]).text())
    }
}
