import ArgumentParser
import OkaeriServer

/// `okaeri copy`
struct CopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Carry an installation from the embedded database into PostgreSQL.",
        discussion: """
            Everything comes along: applications, users, sessions, keys. Nobody has to log in again. Stop the server \
            first. The database must be new; its tables are made. An interrupted copy goes on where it stopped when it is \
            run again, and until it has ended no server starts on the database. In the end both sides are compared by \
            counts and checksums. The folder is left as it was.

            Afterwards every node needs the sealing key of the old installation: if that was the file sealing.key, set \
            \(Setting.sealingKey.variable) to its bytes in base64.

            Examples:
              okaeri copy --from /var/lib/okaeri --to postgresql://okaeri@db.example.com/okaeri
              OKAERI_DATABASE=postgresql://… okaeri copy --from okaeri-data --json
            """)

    @Option(help: ArgumentHelp("The data folder of the installation.", valueName: "folder"))
    var from: String

    @Option(help: ArgumentHelp("The database. (\(Setting.database.variable))", valueName: "url"))
    var to: String?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let settings = try ServerSettings.read(to.map { [Setting.database.name: $0] } ?? [:])
        let line = ProgressLine(isWanted: !output.isJSON)
        let report: InstallationCopy.Report
        do {
            report = try await InstallationCopy(from: from, to: settings) { line.show($0.text) }
        } catch let fault as StartFault {
            line.end()
            throw CommandFault.failed(fault.description)
        }
        line.end()
        guard !output.isJSON else { return Console.write(json: Output(report)) }
        var table = TextTable("table", "rows")
        for (name, rows) in report.tables { table.add(name, String(rows)) }
        Console.write(
            """
            \(report.wasResumed ? "The copy was resumed and is complete" : "Everything is copied") and compared: \
            \(report.location)
            \(table.text(indentation: 2))
            """)
        if report.needsKeyOfFolder {
            Console.write(
                "Every node needs the key in \(from)/sealing.key: set \(Setting.sealingKey.variable) to the output of "
                    + "“base64 -w 0 \(from)/sealing.key”.")
        }
    }

    private struct Output: Encodable {
        let tables: [String: Int]
        let wasResumed: Bool

        init(_ report: InstallationCopy.Report) {
            tables = Dictionary(report.tables.map { ($0.name, $0.rows) }) { $1 }
            wasResumed = report.wasResumed
        }
    }
}

extension InstallationCopy.Progress {
    /// How far the copy is.
    fileprivate var text: String {
        let share = allRows == 0 ? 100 : min(100, rows * 100 / allRows)
        return "\(isComparing ? "comparing" : "copying") \(table): \(rows) of \(allRows) rows, \(share) %"
    }
}
