import ArgumentParser

/// `okaeri session …`
struct SessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "End sessions.",
        discussion: """
            A user's sessions are shown by “okaeri user show”.

            Example:
              okaeri session revoke 00VHjA0kd2Lw9TtB --application 00VHj9mrbT8wn7Qk
            """,
        subcommands: [RevokeSessionCommand.self])
}
