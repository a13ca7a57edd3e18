import ArgumentParser
import Domain

/// `okaeri application provider remove`
struct RemoveProviderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Switch log-in with a provider off and forget its secret.",
        discussion: """
            Users keep their identities there, and can use them again when the provider is set again.

            Examples:
              okaeri application provider remove 00VHj9mrbT8wn7Qk google
            """)

    @Argument(help: "The application's id.")
    var id: String

    @Argument(help: "apple, google, facebook, twitter, line, kakao, naver, yahoojapan, gamecenter, or oidc:NAME.")
    var provider: String

    @OptionGroup var storage: StorageOptions

    func run() async throws {
        let (application, name) = (Identifier<Application>(rawValue: id), Identity.Provider(rawValue: provider))
        try await storage.perform(.removeProvider) { modules, who throws(DomainError) in
            _ = try await modules.applications.findApplication(application)
            try await modules.providers.removeProvider(name, of: application, by: who)
        }
        Console.write("Log-in with \(provider) is off.")
    }
}
