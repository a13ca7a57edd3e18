import ArgumentParser
import Domain

/// `okaeri keys rotate`
struct RotateKeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Sign access tokens with a new key from now on.",
        discussion: """
            The key before it goes on verifying, so that no living token is refused; a running server signs with the \
            new key at its next request. Two rotations within ten minutes are refused, since tokens of the key that \
            would go could still live.

            Examples:
              okaeri keys rotate
              okaeri keys rotate --data /var/lib/okaeri --json
            """)

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let id = try await storage.perform(.rotateSigningKeys) { modules, who throws(DomainError) in
            try await modules.sessions.rotateSigningKeys(by: who)
        }
        guard !output.isJSON else { return Console.write(json: Output(id: id)) }
        Console.write("The key \(id) signs from now on.")
    }

    private struct Output: Encodable {
        let id: String
    }
}
