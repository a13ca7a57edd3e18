import ArgumentParser

/// `okaeri user …`
struct UserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Show an application's users.",
        discussion: """
            Examples:
              okaeri user list --application 00VHj9mrbT8wn7Qk
              okaeri user show 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk
            """,
        subcommands: [ListUsersCommand.self, ShowUserCommand.self])
}
