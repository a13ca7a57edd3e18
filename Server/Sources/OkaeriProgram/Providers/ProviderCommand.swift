import ArgumentParser

/// `okaeri application provider …`
struct ProviderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider",
        abstract: "Settings for Google, Facebook, X and OpenID Connect providers.",
        discussion: """
            Providers are google, facebook, twitter, and oidc:NAME with a name of your own. Apple has settings of its \
            own kind: “okaeri application apple”.

            Examples:
              okaeri application provider set 00VHj9mrbT8wn7Qk google --client 123.apps.googleusercontent.com
              okaeri application provider list 00VHj9mrbT8wn7Qk
              okaeri application provider check 00VHj9mrbT8wn7Qk google
            """,
        subcommands: [
            SetProviderCommand.self, ListProvidersCommand.self, CheckProviderCommand.self, RemoveProviderCommand.self,
        ])
}
