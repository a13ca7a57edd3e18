import ArgumentParser
import OkaeriServer

/// `okaeri copy`
struct CopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Carry an installation from one database into another, SQLite or PostgreSQL.",
        discussion: """
            Each side is a data folder, which holds the embedded SQLite, or a PostgreSQL database: all four ways are \
            possible. Everything comes along: applications, users, sessions, keys. Nobody has to log in again. Stop all \
            servers of the installation first. The folder or database to copy to must be new; its tables are made. An \
            interrupted copy goes on where it stopped when it is run again, and until it has ended no server starts there. In \
            the end all rows of both sides are counted and compared. What is copied from is left as it was.

            Afterwards the servers need the sealing key of the old installation: \(Setting.sealingKey.variable) as it was, or \
            the file sealing.key of its folder.

            A password in a connection string shows in the list of processes: keep it in libpq's password file.

            Examples:
              okaeri copy --from /var/lib/okaeri \\
                --to postgresql://okaeri@db.example.com/okaeri
              okaeri copy --from postgresql://okaeri@db.example.com/okaeri \\
                --to /var/lib/okaeri
              okaeri copy --from /var/lib/okaeri --to /mnt/new/okaeri
              OKAERI_DATABASE=postgresql://… okaeri copy \\
                --from postgresql://okaeri@old.example.com/okaeri --json
            """)

    @Option(
        help: ArgumentHelp("The data folder or the database of the installation.", valueName: "folder-or-url"))
    var from: String

    @Option(
        help: ArgumentHelp(
            "The new data folder or database. (\(Setting.database.variable), for a database)",
            valueName: "folder-or-url"))
    var to: String?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let settings = try ServerSettings.read([:])
        let (source, target) = (try Self.location(from, "--from"), try to.map { try Self.location($0, "--to") })
        let progress = StepProgress(isWanted: !output.isJSON)
        let report: InstallationCopy.Report
        do throws(StartFault) {
            report = try await InstallationCopy(from: source, to: target, settings: settings)() {
                progress.show($0.isComparing ? "comparing" : "copying", $0.rows, $0.allRows, of: $0.table)
            }
        } catch {
            progress.end()
            throw CommandFault.failed(error.description)
        }
        progress.end()
        guard !output.isJSON else { return Console.write(json: Output(report)) }
        var table = TextTable("table", "rows")
        for (name, rows) in report.tables { table.add(name, String(rows)) }
        Console.write(
            """
            \(report.wasResumed ? "The copy was resumed and is complete" : "Everything is copied") and compared: \
            \(report.target)
            \(table.text(indentation: 2))
            """)
        if let words = Self.nextStep(report) { Console.write(words) }
    }

    private static func location(_ text: String, _ option: String) throws(CommandFault) -> InstallationCopy.Location {
        do throws(SettingFault) {
            return try InstallationCopy.Location(text, option: option)
        } catch {
            throw .usage(error.description)
        }
    }

    /// What a server that serves the copy still needs.
    private static func nextStep(_ report: InstallationCopy.Report) -> String? {
        switch (report.target, report.missingKeyFile) {
        case (.folder(let folder), let file?):
            "Carry the key over too: “install -m 600 \(file) \(folder)/sealing.key”."
        case (.database, let file?):
            "Every node needs the key in \(file): set \(Setting.sealingKey.variable) to the output of “base64 -w 0 "
                + "\(file)”."
        case (.folder(let folder), nil):
            if case .database = report.source {
                "“okaeri serve --data \(folder)” needs the \(Setting.sealingKey.variable) that the nodes had, and no "
                    + "\(Setting.database.variable)."
            } else {
                nil
            }
        case (.database, nil): nil
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
