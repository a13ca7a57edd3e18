import ArgumentParser
import Domain
import HTTPSupport

/// `okaeri user sessions`
struct ListUserSessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "Show a user's live sessions, newest first.",
        discussion: """
            “okaeri session revoke” ends one.

            Examples:
              okaeri user sessions 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk
              okaeri user sessions 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk --json
            """)

    @OptionGroup var user: UserOptions

    func run() async throws {
        let sessions = try await user.perform(.readUser) { modules, id, application, _ throws(DomainError) in
            _ = try await modules.directory.readUser(id, in: application.id)
            return try await modules.sessions.listSessions(of: id, in: application)
        }
        guard !user.output.isJSON else {
            return Console.write(json: Output(sessions: sessions.map(AdminSessionBody.init(_:))))
        }
        guard !sessions.isEmpty else { return Console.write("The user has no live session.") }
        Console.write(sessions.table().text())
    }

    private struct Output: Encodable {
        let sessions: [AdminSessionBody]
    }
}

extension [Session] {
    /// The sessions for a person who reads them in a terminal.
    func table() -> TextTable {
        var table = TextTable("ID", "DEVICE", "MODEL", "SYSTEM", "APP", "ADDRESS", "BY", "OPENED", "LAST USED")
        for session in self {
            let device = session.device
            table.add(
                session.id.rawValue, device.name, device.model, device.system, device.appVersion, session.address,
                session.method.rawValue, session.createdAt.localText, session.lastUsedAt.localText)
        }
        return table
    }
}
