import ArgumentParser

/// `okaeri import …`
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Take users in from another service.",
        discussion: """
            An import can be rehearsed, and run again after it broke off: users who are there already are left alone.

            Examples:
              okaeri import ncmb members.json --application 00VHj9mrbT8wn7Qk --dry-run
              okaeri import ncmb members.json --application 00VHj9mrbT8wn7Qk
              okaeri import parse _User.json --application 00VHj9mrbT8wn7Qk
              okaeri import kii users.json --application 00VHj9mrbT8wn7Qk
            """,
        subcommands: [ImportNCMBCommand.self, ImportParseCommand.self, ImportKiiCommand.self])
}
