import ArgumentParser
import Domain

/// `okaeri application provider check`
struct CheckProviderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Try an application's settings at a provider.",
        discussion: """
            Asks the provider to exchange a code, or to look at a token, that nobody issued. Exit status 1 unless all \
            is well.

            Examples:
              okaeri application provider check 00VHj9mrbT8wn7Qk google
            """)

    @Argument(help: "The application's id.")
    var id: String

    @Argument(help: "google, facebook, twitter, line, kakao, naver, yahoojapan, gamecenter, or oidc:NAME.")
    var provider: String

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (application, name) = (Identifier<Application>(rawValue: id), Identity.Provider(rawValue: provider))
        let finding = try await storage.perform(.checkProvider) { modules, who throws(DomainError) in
            _ = try await modules.applications.findApplication(application)
            return try await modules.providers.checkProvider(name, of: application)
        }
        let (sentence, isGood) = finding.words(
            refused: "The provider does not take the client id and secret (%).")
        if output.isJSON { Console.write(json: CheckedProvider(isAccepted: isGood, finding: sentence)) }
        guard isGood else { throw CommandFault.failed(sentence) }
        if !output.isJSON { Console.write(sentence) }
    }
}
