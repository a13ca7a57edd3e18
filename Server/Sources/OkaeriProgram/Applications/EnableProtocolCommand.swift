import ArgumentParser
import Domain
import NCMBAPI

/// `okaeri application enable`
struct EnableProtocolCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Switch a foreign protocol on, so that apps built for it keep working.",
        discussion: """
            Apps in the stores carry the keys of the service that is gone: bring them along. Keys that are not given are \
            made; keys that are there already stay. Keys that make an administrator are shown this once. A running \
            server knows the keys at its next request.

            Examples:
              okaeri application enable 00VHj9mrbT8wn7Qk ncmb \\
                --ncmb-application-key 6145… --ncmb-client-key 1343…
              okaeri application enable 00VHj9mrbT8wn7Qk kii --kii-app-id a1b2c3d4 \\
                --kii-app-key 0011…
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
        if let other = keys.protocolNames.first(where: { $0 != protocolName.name }) {
            throw ValidationError("Keys of \(other.rawValue) say nothing to \(protocolName.name.rawValue).")
        }
    }

    func run() async throws {
        let (id, name, given) = (Identifier<Application>(rawValue: id), protocolName.name, try keys.given())
        let (issued, application) = try await storage.perform(.enableProtocol) { modules, who throws(DomainError) in
            let issued = try await modules.applications.enableProtocol(name, given: given[name] ?? [:], of: id, by: who)
            return (issued, try await modules.applications.findApplication(id))
        }
        guard !output.isJSON else { return Console.write(json: [issued].described) }
        Console.write(
            """
            The protocol is on.
            \(TextTable([issued].lines).text(indentation: 2))
            """)
        if let advice = application.advice(on: name) { Console.tell(advice) }
    }
}

extension Application {
    /// What apps of a protocol that is on may need, and the rules refuse.
    func advice(on name: Session.ProtocolName) -> String? {
        guard name == .ncmb, !settings.foreignOptions(of: name).takesPasswordsInAddresses else { return nil }
        return """
            Log-ins with the password in the address (GET /login), as SDKs from before April 2023 send them, are refused with \
            E405001: proxies write addresses down. If versions of the app with such an SDK are in use, allow them by
              okaeri application rules \(id) ncmb --passwords-in-addresses
            """
    }
}
