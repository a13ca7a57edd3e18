import ArgumentParser

/// `okaeri audit …`
struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Read the audit log, and see whether anybody tampered with it.",
        discussion: """
            The log holds what matters to somebody's safety: who did what to whom, when, from where. Each application \
            has a chain of its own, whose entries each cover the one before.

            Examples:
              okaeri audit list --application 00VHj9mrbT8wn7Qk
              okaeri audit verify
            """,
        subcommands: [VerifyAuditCommand.self, ListAuditCommand.self])
}
