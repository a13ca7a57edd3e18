import ArgumentParser

/// `okaeri application …`
struct ApplicationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "application",
        abstract: "Make and show applications.",
        discussion: """
            An application is one app that uses the server. It owns its users; a server holds many.

            Examples:
              okaeri application create "My app"
              okaeri application list
            """,
        subcommands: [
            CreateApplicationCommand.self, ListApplicationsCommand.self, ShowApplicationCommand.self,
            EnableProtocolCommand.self, DisableProtocolCommand.self, ShowProtocolKeysCommand.self,
            ProtocolRulesCommand.self,
            AppleCommand.self, ProviderCommand.self, ApplicationMailCommand.self, ThemeCommand.self,
            RedirectCommand.self, FieldsCommand.self, SignUpRulesCommand.self, PasskeyRulesCommand.self,
            SecondFactorRulesCommand.self, AttestationRulesCommand.self,
        ])
}
