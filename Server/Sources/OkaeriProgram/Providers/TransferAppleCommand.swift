import ArgumentParser
import Domain
import Foundation

/// `okaeri application apple transfer`
struct TransferAppleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer",
        abstract: "Carry users along when the app moves to another developer team.",
        discussion: """
            Apple names the same person differently to each team. Before the transfer, while the old team's settings \
            are here, `--to NEWTEAM` asks Apple for each person's name of passage. After the transfer, set the new \
            team's id and key, and within 60 days `--finish` asks for the names that the new team knows. Both can be \
            repeated until nothing is left. A user who logs in between is carried over at once.

            Examples:
              okaeri application apple transfer 00VHj9mrbT8wn7Qk --to NEWTEAM123 --dry-run
              okaeri application apple transfer 00VHj9mrbT8wn7Qk --to NEWTEAM123
              okaeri application apple transfer 00VHj9mrbT8wn7Qk --finish
            """)

    @Argument(help: "The application's id.")
    var id: String

    @Option(name: .customLong("to"), help: ArgumentHelp("The new team's id: the first step.", valueName: "team"))
    var newTeam: String?

    @Flag(help: "The second step, with the new team's settings.")
    var finish = false

    @Flag(help: "Only count; ask Apple nothing and change nothing.")
    var dryRun = false

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (newTeam != nil) != finish else {
            throw ValidationError("Choose one step: --to TEAM before the transfer, or --finish after it.")
        }
    }

    func run() async throws {
        let application = Identifier<Application>(rawValue: id)
        let step = newTeam.map { TransferTeam.Step.prepare(newTeam: $0) } ?? .finish
        let (isDryRun, showsProgress) = (dryRun, !output.isJSON && isatty(STDERR_FILENO) == 1)
        let report = try await storage.perform(.transferTeam) { modules, who throws(DomainError) in
            try await modules.providers.transferTeam(step, of: application, by: who, isDryRun: isDryRun) { report in
                guard showsProgress else { return }
                Console.show("\r\(report.people) people")
            }
        }
        if showsProgress { Console.show("\n") }
        guard !output.isJSON else { return Console.write(json: Output(report, isDryRun: isDryRun)) }
        let table = TextTable([
            "people of the team that is left": String(report.people),
            isDryRun ? "would be done" : "done": String(report.done),
            "done before": String(report.alreadyDone),
            "unknown": String(report.unknown),
            "taken": String(report.taken),
        ])
        Console.write(table.text())
    }

    private struct Output: Encodable {
        let isDryRun: Bool
        let people: Int
        let done: Int
        let alreadyDone: Int
        let unknown: Int
        let taken: Int

        init(_ report: TransferTeam.Report, isDryRun: Bool) {
            self.isDryRun = isDryRun
            people = report.people
            done = report.done
            alreadyDone = report.alreadyDone
            unknown = report.unknown
            taken = report.taken
        }
    }
}
