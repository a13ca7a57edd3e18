import ArgumentParser

/// `okaeri keys …`
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Change the keys that sign access tokens.",
        discussion: """
            Example:
              okaeri keys rotate
            """,
        subcommands: [RotateKeysCommand.self])
}
