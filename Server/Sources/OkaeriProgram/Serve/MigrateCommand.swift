import ArgumentParser
import OkaeriServer

/// `okaeri migrate`
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Bring the database's tables up to date.",
        discussion: """
            All steps or none. On PostgreSQL this is done by hand, once for all nodes: servers refuse a database that is \
            older or newer than they are. Of several that run at once, one does the work and the others wait for it. The \
            embedded database is brought up to date at each start, so there it is never needed.

            Examples:
              okaeri migrate --database postgresql://okaeri@db.example.com/okaeri
              okaeri migrate --database postgresql://okaeri@db.example.com/okaeri \\
                --dry-run
            """)

    @OptionGroup var storage: StorageOptions

    @Flag(help: "Print the SQL that would be run, and change nothing.")
    var dryRun = false

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let settings = try storage.settings()
        if settings.isNewInstallation {
            Console.tell(
                settings.noteOnNewFolder("the database \(dryRun ? "would be" : "is") that of a new installation"))
        }
        let migration: StorageMigration
        do throws(StartFault) {
            migration = try await StorageMigration(settings, isRehearsal: dryRun)
        } catch {
            throw CommandFault.failed(error.description)
        }
        guard !output.isJSON else { return Console.write(json: Output(migration, isRehearsal: dryRun)) }
        if dryRun {
            let head = "-- \(migration.location): schema version \(migration.before) to \(migration.after)"
            return Console.write(([head] + migration.statements.map { $0 + ";" }).joined(separator: "\n\n"))
        }
        Console.write(
            migration.before == migration.after
                ? "The database \(migration.location) has schema version \(migration.after), the newest."
                : "The database \(migration.location) went from schema version \(migration.before) to \(migration.after)."
        )
    }

    private struct Output: Encodable {
        let before: Int
        let after: Int
        let statements: [String]
        let isDryRun: Bool

        init(_ migration: StorageMigration, isRehearsal: Bool) {
            (before, after) = (migration.before, migration.after)
            statements = migration.statements
            isDryRun = isRehearsal
        }
    }
}
