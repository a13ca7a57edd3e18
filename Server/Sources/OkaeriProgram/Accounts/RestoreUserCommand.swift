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

    @OptionGroup var user: UserOptions

    func run() async throws {
        try await user.perform(.restoreUser) { modules, id, application, who throws(DomainError) in
            _ = try await modules.deletion.restoreUser(id, in: application.id, by: who)
        }
        guard !user.output.isJSON else { return Console.write(json: ["id": user.id]) }
        Console.write("The user \(user.id) is not deleted any more.")
    }
}
