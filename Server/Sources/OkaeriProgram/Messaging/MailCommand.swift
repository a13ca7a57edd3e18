import ArgumentParser

/// `okaeri mail …`
struct MailCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mail",
        abstract: "Look at mails that wait, and at the outbox.",
        discussion: """
            Examples:
              okaeri mail queue --application 00VHj9mrbT8wn7Qk
              okaeri mail outbox --application 00VHj9mrbT8wn7Qk
            """,
        subcommands: [MailQueueCommand.self, MailOutboxCommand.self])
}
