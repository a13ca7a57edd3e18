import ArgumentParser
import Domain

/// `okaeri application apple set`
struct SetAppleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Switch Sign in with Apple on, or change its settings.",
        discussion: """
            What is not given stays as it is. With team and bundle ids alone, identity tokens are accepted; the private \
            key is needed for authorization codes, and so for revoking Apple's grant when a user leaves. It is stored \
            sealed and never shown again.

            Bundle ids and the Services ID are one list, in which the Services ID, which browsers use, stands last. --service \
            alone puts an id there, and all others stay; --bundle alone takes the place of those before the last one. Both \
            together take the place of the whole list, and an empty text stands for none: where there is one id alone, say \
            by --service whether it stays. An empty --redirect removes the addresses.

            At Apple: Certificates, Identifiers & Profiles; the App ID with “Sign In with Apple”; a key for it, whose \
            file can be downloaded once; a Services ID for web pages. Put the server's address followed by \
            /v1/providers/apple/notifications into the App ID as its notification endpoint.

            Examples:
              okaeri application apple set 00VHj9mrbT8wn7Qk --team ABCDE12345 \\
                --bundle com.example.app
              okaeri application apple set 00VHj9mrbT8wn7Qk --key-id KEY1234567 \\
                --key-file AuthKey_KEY1234567.p8
              okaeri application apple set 00VHj9mrbT8wn7Qk --service com.example.web
              okaeri application apple set 00VHj9mrbT8wn7Qk --bundle com.example.app \\
                --service ""
            """)

    @Argument(help: "The application's id.")
    var id: String

    @Option(help: ArgumentHelp("The team id: ten capitals and digits.", valueName: "id"))
    var team: String?

    @Option(
        name: .customLong("bundle"),
        help: ArgumentHelp("A bundle id. May be repeated; replaces those that were set.", valueName: "id"))
    var bundles: [String] = []

    @Option(
        name: .customLong("service"),
        help: ArgumentHelp("A Services ID, for browsers. May be repeated; other ids stay.", valueName: "id"))
    var services: [String] = []

    @Option(
        name: .customLong("redirect"),
        help: ArgumentHelp(
            "Where Apple may send web pages back to. May be repeated; replaces all that were set.", valueName: "url"))
    var redirects: [String] = []

    @Option(help: ArgumentHelp("The private key's id.", valueName: "id"))
    var keyId: String?

    @Option(help: ArgumentHelp("The private key, the .p8 file as Apple gave it.", valueName: "file"))
    var keyFile: String?

    @OptionGroup var storage: StorageOptions

    func validate() throws {
        // A list that was given, and nothing in it.
        func isCleared(_ ids: [String]) -> Bool { ids.contains("") && ids.allSatisfy(\.isEmpty) }
        guard !isCleared(services) || !bundles.isEmpty, !isCleared(bundles) || !services.isEmpty else {
            throw ArgumentParser.ValidationError(
                "Which of the ids is a Services ID is not stored. Name the ids that stay, by --bundle or --service, "
                    + "beside the empty one; “okaeri application provider list” shows them.")
        }
    }

    func run() async throws {
        let secret = try keyFile.map(SecretFile.secret)
        let options = self
        let set: (settings: ProviderSettings, unclear: String?)
        do throws(CommandFault) {
            set = try await storage.perform(.setProvider) {
                modules, who throws(DomainError) -> (settings: ProviderSettings, unclear: String?) in
                let application = Identifier<Application>(rawValue: options.id)
                let present = try await modules.providers.listProviders(of: application).first {
                    $0.settings.provider == .apple
                }
                let known = present?.settings ?? ProviderSettings(provider: .apple, audiences: [])
                if let id = options.unclearId(of: known.audiences) { return (known, id) }
                let settings = options.applied(to: known)
                try await modules.providers.setProvider(settings, secret: secret, of: application, by: who)
                return (settings, nil)
            }
        } catch {
            throw error.naming([
                "audiences": "--bundle or --service", "redirectURIs": "--redirect", "teamId": "--team",
                "keyId": "--key-id", "privateKey": "--key-file", "secret": "--key-file",
            ])
        }
        if let id = set.unclear {
            let name = id.printable
            throw CommandFault.usage(
                "\(name) is the one id that there is, and whether it is the Services ID is not stored. Nothing was changed. "
                    + "Say --service \(name) beside --bundle where it stays, and --service \"\" where it goes.")
        }
        Console.write(
            "Sign in with Apple is set for \(set.settings.audiences.joined(separator: ", ").printable). "
                + "“okaeri application apple check \(id)” tries the key.")
    }

    private func applied(to present: ProviderSettings) -> ProviderSettings {
        var settings = present
        settings.audiences = audiences(of: present.audiences)
        if !redirects.isEmpty { settings.redirectURIs = redirects.filter { !$0.isEmpty } }
        settings.teamId = team ?? present.teamId
        settings.keyId = keyId ?? present.keyId
        return settings
    }

    /// The one id that there is, when `--bundle` alone would take its place: it may be the Services ID.
    private func unclearId(of present: [String]) -> String? {
        guard !bundles.isEmpty, services.isEmpty, present.count == 1 else { return nil }
        return present.first { !bundles.contains($0) }
    }

    private func audiences(of present: [String]) -> [String] {
        let given = (bundles + services).filter { !$0.isEmpty }
        return switch (bundles.isEmpty, services.isEmpty) {
        case (true, true): present
        case (false, false): given
        case (true, false): present.filter { !given.contains($0) } + given
        case (false, true): given + present.dropFirst().suffix(1).filter { !given.contains($0) }
        }
    }
}
