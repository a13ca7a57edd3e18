import ArgumentParser
import Domain

/// `okaeri keys rotate`
struct RotateKeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Make a new key for access tokens.",
        discussion: """
            The new key is published at once and signs from ten minutes later, when nobody keeps a key set without \
            it any more. The key before it goes on verifying, so that no living token is refused. Two rotations \
            within twenty minutes are refused, since tokens of the key that would go could still live. A key that \
            leaked is gone after the second one.

            Examples:
              okaeri keys rotate
              okaeri keys rotate --data /var/lib/okaeri --json
            """)

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let key = try await storage.perform(.rotateSigningKeys) { modules, who throws(DomainError) in
            try await modules.sessions.rotateSigningKeys(by: who)
        }
        guard !output.isJSON else { return Console.write(json: Output(id: key.id)) }
        Console.write(Self.text(of: key))
    }

    private static func text(of key: RotateSigningKeys.NewKey) -> String {
        guard key.isBehindAhead else { return "The key \(key.id) is published, and signs in ten minutes." }
        return "The key \(key.id) is published. The key before it was made while the clock was ahead, and goes on "
            + "signing: the new one signs from \(key.signsAt.localText), or from the next rotation on. Rotate again in "
            + "twenty minutes."
    }

    private struct Output: Encodable {
        let id: String
    }
}
