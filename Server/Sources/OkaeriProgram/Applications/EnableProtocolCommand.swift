import ArgumentParser
import Domain

/// `okaeri application enable`
struct EnableProtocolCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Switch a foreign protocol on, so that apps built for it keep working.",
        discussion: """
            Apps in the stores carry the keys of the service that is gone: bring them along. Keys that are not told are \
            made; keys that are there already stay. Keys that make an administrator are shown this once. A running \
            server knows the keys at its next request.

            Examples:
              okaeri application enable 00VHj9mrbT8wn7Qk ncmb --ncmb-application-key 6145… --ncmb-client-key 1343…
              okaeri application enable 00VHj9mrbT8wn7Qk kii --kii-app-id a1b2c3d4 --kii-app-key 0011…
              okaeri application enable 00VHj9mrbT8wn7Qk envelope --envelope-base-path /
            """)

    @Argument(help: "The application's id.")
    var id: String

    @Argument(help: "ncmb, parse, kii or envelope.")
    var protocolName: ProtocolArgument

    @OptionGroup(title: "Keys") var keys: ProtocolKeyOptions
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let other = keys.given.keys.first(where: { $0 != protocolName.name }) {
            throw ValidationError("Keys of \(other.rawValue) say nothing to \(protocolName.name.rawValue).")
        }
    }

    func run() async throws {
        let (id, name, given) = (Identifier<Application>(rawValue: id), protocolName.name, keys.given)
        let issued = try await storage.withStorage { useCases throws(DomainError) in
            try await useCases.enableProtocol(name, given: given[name] ?? [:], of: id)
        }
        guard !output.isJSON else { return Console.write(json: [issued].described) }
        Console.write(
            """
            The protocol is on.
            \(TextTable([issued].lines).text(indentation: 2))
            """)
    }
}
