import ArgumentParser
import Domain
import OkaeriServer
import OkaeriWire
import ParseAPI

/// `okaeri import parse`
struct ImportParseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parse",
        abstract: "Take users and sessions in from an export of Parse.",
        discussion: """
            Ids, times, fields, passwords (bcrypt), access lists, authData, and sessions with their tokens stay, so that \
            nobody is logged out. A file holds rows of _User, or with --sessions those of _Session, in the form of the REST \
            API, of mongoexport, or of PostgreSQL's rows as JSON. Import the users first. A session that has ended since does \
            not come back when the file is taken in again.

            With --schema and the rows of _SCHEMA, files, coordinates, bytes, times, pointers and relations keep their types; the \
            rows of a database have them as plain values, which SDKs cannot read.

            \(ImportUsersOptions.refusals)

            Examples:
              okaeri import parse _User.json --application 00VHj9mrbT8wn7Qk --dry-run
              okaeri import parse _User.json --application 00VHj9mrbT8wn7Qk
              okaeri import parse _Session.json --sessions --application 00VHj9mrbT8wn7Qk
            """)

    /// The most rows of _SCHEMA: an app has some dozen classes.
    private static let maximumClasses = 1000

    @OptionGroup var users: ImportUsersOptions

    @Flag(help: "The file holds sessions.")
    var sessions = false

    @Flag(help: "User names that differ in capitals alone are two users' names, as in the database of Parse.")
    var caseSensitiveNames = false

    @Option(help: ArgumentHelp("The rows of _SCHEMA, in the form of the export.", valueName: "file"))
    var schema: String?

    @Option(
        help: ArgumentHelp(
            "What stands before the names of files in their addresses, such as https://…/files/app1/.",
            valueName: "URL"))
    var filesURL: String?

    func validate() throws {
        if filesURL != nil, schema == nil { throw ValidationError("--files-url says nothing without --schema.") }
        if sessions, users.partial { throw ValidationError("--partial says nothing of sessions.") }
        if sessions, users.duplicates != nil { throw ValidationError("--duplicates says nothing of sessions.") }
        if sessions, caseSensitiveNames { throw ValidationError("--case-sensitive-names says nothing of sessions.") }
        if sessions, schema != nil { throw ValidationError("--schema says nothing of sessions.") }
    }

    func run() async throws {
        guard !sessions else {
            return try await users.export.source.run(sessionImporter).requireNoRefusals()
        }
        let types = try fieldTypes()
        try await users.run(of: .parse, takesTwins: caseSensitiveNames) { value, application, _ throws(ImportFault) in
            do throws(ParseExport.Fault) {
                return try ParseExport.user(value, of: application, schema: types)
            } catch {
                throw ImportFault(id: error.id, sentence: error.description)
            }
        }
    }

    /// The types of users' fields, if they were given.
    private func fieldTypes() throws -> ParseSchema? {
        guard let schema else { return nil }
        let file = try ImportSourceOptions.records(inFile: schema)
        var rows: [JSONValue] = []
        do throws(RecordFile.Fault) {
            while let record = try file.next() {
                if let fault = record.fault {
                    throw RecordFile.Fault(description: "line \(record.line) \(fault)")
                }
                let row: JSONValue
                do throws(JSONSyntaxError) {
                    row = try JSONValue(parsing: record.bytes)
                } catch {
                    let reason = error.reason(in: record.bytes, of: "the record", onLine: record.line)
                    throw RecordFile.Fault(description: "line \(record.line) \(reason)")
                }
                guard rows.count < Self.maximumClasses else {
                    throw RecordFile.Fault(description: "line \(record.line) is one class too many")
                }
                rows.append(row)
            }
        } catch {
            throw CommandFault.failed("\(schema): \(error).")
        }
        let types = ParseSchema(rows, filesURL: filesURL)
        guard types.namesUsers else {
            throw CommandFault.failed("\(schema) says nothing of _User: it is to hold the rows of _SCHEMA.")
        }
        return types
    }

    private var sessionImporter: Importer<ImportedSession> {
        let (id, isRehearsal) = (users.export.application.id, users.export.isRehearsal)
        return Importer(application: id, isRehearsal: isRehearsal) { value throws(ImportFault) in
            do throws(ParseExport.Fault) {
                return try ParseExport.session(value, of: id)
            } catch {
                throw ImportFault(id: error.id, sentence: error.description)
            }
        } name: {
            $0.user.rawValue
        } takeIn: { sessions, modules throws(DomainError) in
            try await modules.sessions.importSessions(sessions, isRehearsal: isRehearsal)
        }
    }
}
