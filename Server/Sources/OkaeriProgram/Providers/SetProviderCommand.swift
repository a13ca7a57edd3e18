import ArgumentParser
import Domain

/// `okaeri application provider set`
struct SetProviderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Switch log-in with a provider on, or change its settings.",
        discussion: """
            What is not given stays as it is; an empty --redirect removes the addresses. The secret is read from a file, because the list of processes shows \
            command lines; it is stored sealed and never shown again. For facebook the client is the app id and the \
            secret the app secret; for twitter they are consumer key and consumer secret, and for the hosted pages a second \
            client, the client id of OAuth 2.0, and after a space its secret. For line they are channel id and channel \
            secret; for kakao the REST API key, then the native app key; for gamecenter the bundle ids, without a secret.

            Examples:
              okaeri application provider set 00VHj9mrbT8wn7Qk google \\
                --client 123.apps.googleusercontent.com
              okaeri application provider set 00VHj9mrbT8wn7Qk oidc:work \\
                --issuer https://login.example.com \\
                --client app --redirect com.example.app:/back
            """)

    @Argument(help: "The application's id.")
    var id: String

    @Argument(help: "google, facebook, twitter, line, kakao, naver, yahoojapan, gamecenter, or oidc:NAME.")
    var provider: String

    @Option(
        name: .customLong("client"),
        help: ArgumentHelp("A client id. May be repeated; replaces all that were set.", valueName: "id"))
    var clients: [String] = []

    @Option(help: ArgumentHelp("The issuer's address, for oidc:NAME.", valueName: "url"))
    var issuer: String?

    @Option(
        name: .customLong("redirect"),
        help: ArgumentHelp(
            "Where the provider may send codes. May be repeated; replaces all that were set.", valueName: "url"))
    var redirects: [String] = []

    @Option(help: ArgumentHelp("A file with the client secret.", valueName: "file"))
    var secretFile: String?

    @OptionGroup var storage: StorageOptions

    func validate() throws {
        guard provider != "apple" else { throw ValidationError("Use “okaeri application apple set” for Apple.") }
    }

    func run() async throws {
        let secret = try secretFile.map(SecretFile.secret)
        let options = self
        do throws(CommandFault) {
            try await storage.perform(.setProvider) { modules, who throws(DomainError) in
                let application = Identifier<Application>(rawValue: options.id)
                let name = Identity.Provider(rawValue: options.provider)
                let present = try await modules.providers.listProviders(of: application).first {
                    $0.settings.provider == name
                }
                var settings = present?.settings ?? ProviderSettings(provider: name, audiences: [])
                if !options.clients.isEmpty { settings.audiences = options.clients }
                if !options.redirects.isEmpty { settings.redirectURIs = options.redirects.filter { !$0.isEmpty } }
                settings.issuer = options.issuer ?? settings.issuer
                try await modules.providers.setProvider(settings, secret: secret, of: application, by: who)
            }
        } catch {
            throw error.naming([
                "audiences": "--client", "redirectURIs": "--redirect", "issuer": "--issuer", "secret": "--secret-file",
            ]).saying(
                "There is no provider \(provider). “okaeri application provider set --help” names those that there are.",
                of: .providerNotEnabled)
        }
        Console.write("Log-in with \(provider) is set.")
    }
}
