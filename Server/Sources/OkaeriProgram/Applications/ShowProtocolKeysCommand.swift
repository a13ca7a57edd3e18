import ArgumentParser
import Domain

/// `okaeri application keys`
struct ShowProtocolKeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Show the protocols that are on, with the keys that ship inside apps.",
        discussion: """
            Keys that make an administrator (Parse's master key, Kii's client secret) are not among them: only digests \
            are kept.

            Examples:
              okaeri application keys 00VHj9mrbT8wn7Qk
              okaeri application keys 00VHj9mrbT8wn7Qk --json
            """)

    @Argument(help: "The application's id.")
    var id: String

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let id = Identifier<Application>(rawValue: id)
        let issued = try await storage.perform(.readProtocolKeys) { modules, who throws(DomainError) in
            try await modules.applications.listProtocolKeys(of: id)
        }
        guard !output.isJSON else { return Console.write(json: issued.described) }
        guard !issued.isEmpty else { return Console.write("No foreign protocol is on.") }
        Console.write(TextTable(issued.lines).text())
    }
}
