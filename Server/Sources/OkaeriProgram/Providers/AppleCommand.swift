import ArgumentParser

/// `okaeri application apple …`
struct AppleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apple",
        abstract: "Settings for Sign in with Apple.",
        discussion: """
            Examples:
              okaeri application apple set 00VHj9mrbT8wn7Qk --team ABCDE12345 --bundle com.example.app \\
                --key-id KEY1234567 --key-file AuthKey_KEY1234567.p8
              okaeri application apple check 00VHj9mrbT8wn7Qk
            """,
        subcommands: [SetAppleCommand.self, CheckAppleCommand.self, TransferAppleCommand.self])
}
