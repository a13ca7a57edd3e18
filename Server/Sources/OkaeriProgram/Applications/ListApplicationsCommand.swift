import ArgumentParser
import Domain

/// `okaeri application list`
struct ListApplicationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show all applications.",
        discussion: """
            Oldest first, with the number of their users.

            Examples:
              okaeri application list
              okaeri application list --json
            """)

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let entries = try await storage.perform(.listApplications) { modules, who throws(DomainError) in
            try await modules.applications.listApplications()
        }
        guard !output.isJSON else {
            return Console.write(json: Output(applications: entries.map(ApplicationDescription.init)))
        }
        guard !entries.isEmpty else {
            return Console.write("There is no application yet. “okaeri application create NAME” makes one.")
        }
        var table = TextTable("ID", "NAME", "USERS", "CREATED")
        for entry in entries {
            table.add(
                entry.application.id.rawValue, entry.application.name, String(entry.userCount),
                entry.application.createdAt.localText)
        }
        Console.write(table.text())
    }

    private struct Output: Encodable {
        let applications: [ApplicationDescription]
    }
}
