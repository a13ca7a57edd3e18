import ArgumentParser
import Domain

/// `okaeri user disable` and `okaeri user enable`
struct DisableUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Keep a user out: sessions and log-ins are refused at once.",
        discussion: """
            A running server refuses the user's next request. Sessions, device keys, codes and tickets end; only the last way \
            into an account that has no other stays, and is let in again by “user enable”.

            Examples:
              okaeri user disable 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var standing: StandingOptions

    func run() async throws {
        try await standing.set(isDisabled: true)
    }
}

/// `okaeri user enable`
struct EnableUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Let a disabled user in again.",
        discussion: """
            Examples:
              okaeri user enable 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var standing: StandingOptions

    func run() async throws {
        try await standing.set(isDisabled: false)
    }
}

/// Whose standing changes.
struct StandingOptions: ParsableArguments {
    @Argument(help: "The user's id.")
    var id: String

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    /// Changes it, and says so.
    ///
    /// - Throws: `CommandFault`.
    func set(isDisabled: Bool) async throws {
        let (id, applicationId) = (Identifier<User>(rawValue: id), application.id)
        let user = try await storage.withStorage { useCases throws(DomainError) in
            let application = try await useCases.findApplication(applicationId)
            return try await useCases.setUserDisabled(id, in: application, isDisabled: isDisabled, by: .local)
        }
        guard !output.isJSON else {
            return Console.write(json: Answer(id: user.id.rawValue, isDisabled: user.isDisabled))
        }
        Console.write(isDisabled ? "The user \(id) is kept out from now on." : "The user \(id) is let in again.")
    }

    private struct Answer: Encodable {
        let id: String
        let isDisabled: Bool
    }
}
