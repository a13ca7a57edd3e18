import ArgumentParser
import Domain

/// `okaeri session revoke`
struct RevokeSessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "End a session.",
        discussion: """
            Holds at the next request, also on a server that is running. A device that still has its key can log in \
            again, to the same user.

            Examples:
              okaeri session revoke 00VHjA0kd2Lw9TtB --application 00VHj9mrbT8wn7Qk
            """)

    @Argument(help: "The session's id, as “okaeri user show” tells it.")
    var id: String

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (id, applicationId) = (Identifier<Session>(rawValue: id), application.id)
        try await storage.perform(.endSession) { modules, who throws(DomainError) in
            _ = try await modules.applications.findApplication(applicationId)
            try await modules.sessions.endSession(id, of: nil, in: applicationId, by: who)
        }
        guard !output.isJSON else { return Console.write(json: Output(revoked: id.rawValue)) }
        Console.write("The session \(id) has ended.")
    }

    private struct Output: Encodable {
        let revoked: String
    }
}
