import ArgumentParser
import Domain

/// `okaeri application apple check`
struct CheckAppleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Try team, key id and private key at Apple.",
        discussion: """
            Asks Apple to exchange a code that nobody issued. Apple refuses the code when it has recognised the team, \
            which is what should happen; it refuses the team when something about the key is wrong. Exit status 1 \
            unless all is well.

            Examples:
              okaeri application apple check 00VHj9mrbT8wn7Qk
              okaeri application apple check 00VHj9mrbT8wn7Qk --json
            """)

    @Argument(help: "The application's id.")
    var id: String

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let application = Identifier<Application>(rawValue: id)
        let finding = try await storage.perform(.checkProvider) { modules, who throws(DomainError) in
            _ = try await modules.applications.findApplication(application)
            return try await modules.providers.checkProvider(.apple, of: application)
        }
        let (sentence, isGood) = finding.words(
            refused:
                "Apple does not take the client secret (%). Team id, key id, private key and the first bundle id must "
                + "belong together, and the key must not be revoked.")
        if output.isJSON { Console.write(json: CheckedProvider(isAccepted: isGood, finding: sentence)) }
        guard isGood else { throw CommandFault.failed(sentence) }
        if !output.isJSON { Console.write(sentence) }
    }
}

/// How a check ended, for programs.
struct CheckedProvider: Encodable {
    let isAccepted: Bool
    let finding: String
}

extension ProviderFinding {
    /// The finding in a sentence, and whether all is well. In `refused`, `%` stands for the provider's own word.
    func words(refused: String) -> (sentence: String, isGood: Bool) {
        switch self {
        case .accepted:
            ("All is well: the provider recognises the application, and refuses the made-up code.", true)
        case .refused(let answer): (refused.replacing("%", with: answer), false)
        case .unexpected(let answer): ("The provider answered something unexpected: \(answer).", false)
        case .unreachable: ("The provider cannot be reached from here. Try again later.", false)
        case .secretUnusable: ("There is no usable private key. Set key id and key file first.", false)
        }
    }
}
