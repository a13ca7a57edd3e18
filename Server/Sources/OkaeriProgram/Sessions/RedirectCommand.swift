import ArgumentParser
import Domain

/// `okaeri application redirect`
struct RedirectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redirect",
        abstract: "Show or change where the log-in pages may send people back to.",
        discussion: """
            An address is compared character by character. It is an https address, one of the app's own scheme in reverse \
            domain form, or http on 127.0.0.1 or [::1], whose port the app may choose.

            Examples:
              okaeri application redirect 00VHj9mrbT8wn7Qk
              okaeri application redirect 00VHj9mrbT8wn7Qk --add com.example.app:/back
              okaeri application redirect 00VHj9mrbT8wn7Qk \\
                --add https://app.example.com/back --remove http://127.0.0.1/back
            """)

    @Argument(help: "The application's id.")
    var id: String

    @Option(help: ArgumentHelp("An address to add; may be repeated.", valueName: "address"))
    var add: [String] = []

    @Option(help: ArgumentHelp("An address to remove; may be repeated.", valueName: "address"))
    var remove: [String] = []

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let id = Identifier<Application>(rawValue: id)
        let (add, remove) = (add, remove)
        if let wrong = add.first(where: { RedirectAddress($0) == nil }) {
            throw CommandFault.usage(
                "--add is “\(wrong.printable)”, but must be an https address, one of the app's own scheme in reverse domain form "
                    + "such as com.example.app:/back, or http on 127.0.0.1 or [::1].")
        }
        let application = try await storage.perform(.changeRedirects) { modules, who throws(DomainError) in
            try await modules.applications.changeRedirects(of: id, by: who) { addresses in
                addresses.removeAll { remove.contains($0) || add.contains($0) }
                addresses += add
            }
        }
        let addresses = application.settings.redirectAddresses
        guard !output.isJSON else { return Console.write(json: addresses) }
        Console.write(addresses.isEmpty ? "No addresses." : addresses.joined(separator: "\n"))
    }
}
