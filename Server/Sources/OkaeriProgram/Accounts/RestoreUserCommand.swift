import ArgumentParser
import Domain

/// `okaeri user restore`
struct RestoreUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring a deleted user back, before the grace period is over.",
        discussion: """
            The sessions stay ended; the user logs in again.

            Examples:
              okaeri user restore 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk
            """)

    @Argument(help: "The user's id.")
    var id: String

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (id, applicationId) = (Identifier<User>(rawValue: id), application.id)
        try await storage.withStorage { useCases throws(DomainError) in
            _ = try await useCases.findApplication(applicationId)
            try await useCases.restoreUser(id, in: applicationId, by: .local)
        }
        guard !output.isJSON else { return Console.write(json: ["id": id.rawValue]) }
        Console.write("The user \(id) is not deleted any more.")
    }
}
