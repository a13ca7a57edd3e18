import ArgumentParser

/// `okaeri application provider …`
struct ProviderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider",
        abstract:
            "Settings for Google, LINE, Yahoo! JAPAN ID, Kakao, Naver, Facebook, X, Game Center and OpenID Connect.",
        discussion: """
            Providers are google, line, yahoojapan, kakao, naver, facebook, twitter, gamecenter, and oidc:NAME with a name \
            of your own. Sign in with Apple has settings of its own kind: “okaeri application apple”.

            Examples:
              okaeri application provider set 00VHj9mrbT8wn7Qk google --client 123.apps.googleusercontent.com
              okaeri application provider list 00VHj9mrbT8wn7Qk
              okaeri application provider check 00VHj9mrbT8wn7Qk google
            """,
        subcommands: [
            SetProviderCommand.self, ListProvidersCommand.self, CheckProviderCommand.self, RemoveProviderCommand.self,
        ])
}
