import ArgumentParser
import Domain

/// `okaeri application disable`
struct DisableProtocolCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Switch a foreign protocol off and forget its keys.",
        discussion: """
            Users stay. Requests of the protocol are answered as those for an unknown application from now on. Sessions \
            that it opened are refused, and count again when the protocol is switched on with the same keys.

            Example:
              okaeri application disable 00VHj9mrbT8wn7Qk envelope
            """)

    @Argument(help: "The application's id.")
    var id: String

    @Argument(help: "ncmb, parse, kii or envelope.")
    var protocolName: ProtocolArgument

    @OptionGroup var storage: StorageOptions

    func run() async throws {
        let (id, name) = (Identifier<Application>(rawValue: id), protocolName.name)
        let wasOn = try await storage.perform(.disableProtocol) { modules, who throws(DomainError) in
            try await modules.applications.disableProtocol(name, of: id, by: who)
        }
        guard wasOn else { throw CommandFault.failed("\(name.rawValue) is not on in this application.") }
        Console.write(
            "\(name.rawValue) is off, and its keys are forgotten. To switch it on again, name the keys that the apps carry: "
                + "“okaeri application enable --help”.")
    }
}
