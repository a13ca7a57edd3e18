import ArgumentParser
import Domain
import Foundation
import OkaeriWire

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
              okaeri import firebase users.json --hash-config hash.json \\
                --application 00VHj9mrbT8wn7Qk
              okaeri import auth0 users.jsonl --application 00VHj9mrbT8wn7Qk
              okaeri import keycloak realm.json --application 00VHj9mrbT8wn7Qk
              okaeri import users users.csv --mapping columns.json \\
                --application 00VHj9mrbT8wn7Qk
              okaeri import okaeri export.okaeri --secret-key-file okaeri-backup.secret
            """,
        subcommands: [
            ImportNCMBCommand.self, ImportParseCommand.self, ImportKiiCommand.self, ImportUsersCommand.self,
            ImportFirebaseCommand.self, ImportSupabaseCommand.self, ImportPocketBaseCommand.self,
            ImportNakamaCommand.self, ImportAuth0Command.self, ImportKeycloakCommand.self, ImportCognitoCommand.self,
            ImportAppwriteCommand.self, ImportOkaeriCommand.self,
        ])
}

/// The file of an import, whether it is a rehearsal, and where the users go.
struct ImportSourceOptions: ParsableArguments {
    @Argument(
        help: """
            The export: an array of records, alone or as “results”, one record a line, or .csv; of Okaeri itself what “okaeri \
            export” wrote.
            """)
    var file: String

    @Flag(help: "Check everything and write nothing.")
    var dryRun = false

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    /// Takes the file in and prints the report.
    ///
    /// - Throws: `CommandFault` when the file cannot be read, or the storage fails.
    func run<Imported>(
        _ importer: Importer<Imported>, list: RecordFile.List = .results
    ) async throws(CommandFault) -> ImportReport {
        let source = try records(list: list)
        // A pipe has no size; then no time is foreseen.
        let size = FileStatus(of: file).flatMap { $0.isFile ? $0.byteCount : nil }
        return try await run(importer, source, ofBytes: size)
    }

    /// The records of the file.
    ///
    /// - Throws: `CommandFault` when it cannot be read.
    func records(list: RecordFile.List) throws(CommandFault) -> any RecordSource {
        try Self.records(inFile: file, list: list)
    }

    /// The records of any file: CSV by its name, else JSON.
    ///
    /// - Throws: `CommandFault` when it cannot be read.
    static func records(
        inFile path: String, list: RecordFile.List = .results
    ) throws(CommandFault) -> any RecordSource {
        guard FileStatus(of: path)?.isFolder != true else {
            throw .failed("\(path) is a folder; name the file of the export.")
        }
        let reader: FileReader
        do throws(SystemFault) {
            reader = try FileReader(path: path)
        } catch {
            throw .failed("\(path) cannot be read: \(error).")
        }
        return path.lowercased().hasSuffix(".csv") ? CSVFile(reader) : RecordFile(reader, list: list)
    }

    /// Whether the export is a file, and no pipe that gives its bytes once.
    var isFile: Bool {
        // What cannot be asked about is not read either.
        FileStatus(of: file)?.isFile ?? false
    }

    /// The same of records that are read in another way.
    ///
    /// - Throws: `CommandFault`, as above.
    func run<Imported>(
        _ importer: Importer<Imported>, _ source: any RecordSource, ofBytes fileBytes: Int?
    ) async throws(CommandFault) -> ImportReport {
        let report = try await importer.run(source, ofBytes: fileBytes, storage)
        output.isJSON ? Console.write(json: report) : Console.write(report.text)
        return report
    }
}

/// What each import asks for that takes records into an application: the export, and the application.
struct ImportOptions: ParsableArguments {
    @OptionGroup var source: ImportSourceOptions
    @OptionGroup var application: ApplicationOption

    var isRehearsal: Bool { source.dryRun }
}

/// Who keeps a name, an address, a number or an identity that several records have.
enum DuplicateRule: String, ExpressibleByArgument, CaseIterable {
    case refuse, first, verified
}

/// What each import of users asks for, and how it takes them in: what a record makes is all that formats differ in.
struct ImportUsersOptions: ParsableArguments {
    @OptionGroup var export: ImportOptions

    @Flag(help: "Take users in without what breaks a rule or belongs to somebody else.")
    var partial = false

    @Option(
        help: ArgumentHelp(
            """
            What becomes of a user whose name, address, number or identity another one has: refuse; first, which takes the user in without \
            it; or verified, by which an address or number goes to the record in which it is verified. (default: first with --partial, \
            else refuse)
            """))
    var duplicates: DuplicateRule?

    /// What the help of a command says of users who are refused.
    static let refusals = helpOnRefusals("")

    /// The same where `--provider` renames.
    ///
    /// - Parameter service: What the providers belong to, such as `the realm`.
    /// - Returns: a paragraph.
    static func refusals(ofProvidersIn service: String) -> String {
        helpOnRefusals("; --provider says what a provider of \(service) is called here")
    }

    private static func helpOnRefusals(_ onProviders: String) -> String {
        """
        Users whose providers the application has not set up are refused: set those up first\(onProviders). With --partial a user is \
        taken in without what cannot be taken, as long as something leads to it; the report says without what.
        """
    }

    /// Takes users in, prints the report, and fails when one was refused.
    ///
    /// - Parameters:
    ///   - protocolName: Whose tokens the users bring along.
    ///   - list: The member of a document around everything that holds the users.
    ///   - takesTwins: Whether user names that differ in their writing alone are two users' names.
    ///   - beforeEnd: What else is said of the report.
    ///   - translate: What a record makes, at the time of the import.
    /// - Throws: `CommandFault`; exit status 1.
    func run(
        of protocolName: Session.ProtocolName, list: RecordFile.List = .results, takesTwins: Bool = false,
        beforeEnd: () async throws -> Void = {},
        _ translate: @escaping (JSONValue, Identifier<Application>, Timestamp) throws(ImportFault) -> ImportedUser
    ) async throws {
        let (id, isRehearsal) = (export.application.id, export.isRehearsal)
        let now = Timestamp.current
        let rehearsal = isRehearsal ? ImportRehearsal() : nil
        let duplicates = try duplicateRule(list: list) { value throws(ImportFault) in try translate(value, id, now) }
        let rules = ImportUsers.Rules(takesTwins: takesTwins, takesParts: partial, duplicates: duplicates)
        let importer = Importer(application: id, isRehearsal: isRehearsal) { value throws(ImportFault) in
            try translate(value, id, now)
        } name: {
            $0.user.id.rawValue
        } isWritable: {
            $0.user.isWritableByEverybody
        } takeIn: { users, modules throws(DomainError) in
            try await modules.imports.importUsers(
                users, into: id, of: protocolName, by: rules, isRehearsal: isRehearsal, rehearsal: rehearsal)
        }
        let report = try await export.source.run(importer, list: list)
        if rehearsal?.isFull ?? false {
            Console.tell("The export is so long that names which stand in it twice may not all have been found.")
        }
        try await beforeEnd()
        try report.requireNoRefusals()
    }

    /// The rule, for which `verified` reads the export once before the import does.
    ///
    /// - Throws: `CommandFault` for what cannot be read twice.
    private func duplicateRule(
        list: RecordFile.List, _ translate: (JSONValue) throws(ImportFault) -> ImportedUser
    ) throws(CommandFault) -> ImportDuplicates? {
        switch duplicates {
        case nil: return nil
        case .refuse?: return .refuse
        case .first?: return .first
        case .verified?:
            guard export.source.isFile else {
                throw .usage("--duplicates verified reads the export twice, which takes a file.")
            }
            var identifiers = VerifiedIdentifiers()
            let records = try export.source.records(list: list)
            // The import itself reports what cannot be read.
            while let record = try? records.next() {
                guard record.fault == nil, let value = try? JSONValue(parsing: record.bytes),
                    let imported = try? translate(value)
                else { continue }
                identifiers.note(imported)
            }
            return .verified(identifiers)
        }
    }
}
