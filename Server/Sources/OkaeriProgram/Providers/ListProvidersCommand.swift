import ArgumentParser
import Domain
import HTTPSupport

/// `okaeri application provider list`
struct ListProvidersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show an application's providers, Apple too.",
        discussion: """
            Secrets are not among what is shown.

            Examples:
              okaeri application provider list 00VHj9mrbT8wn7Qk
              okaeri application provider list 00VHj9mrbT8wn7Qk --json
            """)

    @Argument(help: "The application's id.")
    var id: String

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let application = Identifier<Application>(rawValue: id)
        let entries = try await storage.perform(.readSettings) { modules, who throws(DomainError) in
            try await modules.providers.listProviders(of: application)
        }
        guard !output.isJSON else { return Console.write(json: Output(providers: entries.map(ProviderBody.init(_:)))) }
        guard !entries.isEmpty else { return Console.write("The application has no provider.") }
        var table = TextTable("PROVIDER", "IDS", "TEAM", "KEY ID", "ISSUER", "SECRET", "CHANGED")
        for entry in entries {
            let settings = entry.settings
            table.add(
                settings.provider.rawValue, settings.audiences.joined(separator: " "), settings.teamId ?? "",
                settings.keyId ?? "", settings.issuer ?? "", entry.hasSecret ? "stored" : "none",
                entry.updatedAt.localText)
        }
        Console.write(table.text())
    }

    private struct Output: Encodable {
        let providers: [ProviderBody]
    }
}
