import ArgumentParser
import Domain
import Foundation

/// `okaeri import …`
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Take users in from another service.",
        discussion: """
            An import can be rehearsed, and run again after it broke off: users who are there already are left alone.

            Examples:
              okaeri import ncmb members.json --application 00VHj9mrbT8wn7Qk --dry-run
              okaeri import ncmb members.json --application 00VHj9mrbT8wn7Qk
              okaeri import parse _User.json --application 00VHj9mrbT8wn7Qk
              okaeri import kii users.json --application 00VHj9mrbT8wn7Qk
              okaeri import firebase users.json --hash-config hash.json --application 00VHj9mrbT8wn7Qk
              okaeri import auth0 users.jsonl --application 00VHj9mrbT8wn7Qk
              okaeri import keycloak realm.json --application 00VHj9mrbT8wn7Qk
              okaeri import users users.csv --mapping columns.json --application 00VHj9mrbT8wn7Qk
            """,
        subcommands: [
            ImportNCMBCommand.self, ImportParseCommand.self, ImportKiiCommand.self, ImportUsersCommand.self,
            ImportFirebaseCommand.self, ImportSupabaseCommand.self, ImportPocketBaseCommand.self,
            ImportNakamaCommand.self, ImportAuth0Command.self, ImportKeycloakCommand.self, ImportCognitoCommand.self,
            ImportAppwriteCommand.self,
        ])
}

/// What each import asks for: the export, the application that takes it in, and whether it is a rehearsal.
struct ImportOptions: ParsableArguments {
    @Argument(help: "The export: an array of records, alone or as “results”, one record a line, or .csv.")
    var file: String

    @Flag(help: "Check everything and write nothing.")
    var dryRun = false

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    /// Takes the file in and prints the report.
    ///
    /// - Throws: `CommandFault` when the file cannot be read, or the storage fails.
    func run<Imported>(
        _ importer: Importer<Imported>, list: RecordFile.List = .results
    ) async throws(CommandFault) -> ImportReport {
        guard let handle = FileHandle(forReadingAtPath: file) else { throw .failed("\(file) cannot be read.") }
        let isCSV = file.lowercased().hasSuffix(".csv")
        let source: any RecordSource = isCSV ? CSVFile(handle) : RecordFile(handle, list: list)
        // A pipe has no size; then no time is foreseen.
        let size = (try? FileManager.default.attributesOfItem(atPath: file))?[.size] as? NSNumber
        let report = try await importer.run(source, ofBytes: size?.intValue, storage)
        output.isJSON ? Console.write(json: report) : Console.write(report.text)
        return report
    }
}
