import ArgumentParser
import Domain
import OkaeriServer
import ParseAPI

/// `okaeri import parse`
struct ImportParseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parse",
        abstract: "Take users and sessions in from an export of Parse.",
        discussion: """
            Ids, times, fields, passwords (bcrypt), access lists, authData, and sessions with their tokens stay, so that \
            nobody is logged out. A file holds rows of _User, or with --sessions those of _Session, in the form of the REST \
            API, of mongoexport, or of PostgreSQL's rows as JSON. Import the users first.

            Users whose providers the application has not set up are refused: set those up first.

            Examples:
              okaeri import parse _User.json --application 00VHj9mrbT8wn7Qk --dry-run
              okaeri import parse _User.json --application 00VHj9mrbT8wn7Qk
              okaeri import parse _Session.json --sessions --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var export: ImportOptions

    @Flag(help: "The file holds sessions.")
    var sessions = false

    func run() async throws {
        let report = sessions ? try await export.run(sessionImporter) : try await export.run(userImporter)
        try report.requireNoRefusals()
    }

    private var userImporter: Importer<ImportedUser> {
        let (id, isRehearsal) = (export.application.id, export.dryRun)
        return Importer(application: id, isRehearsal: isRehearsal) { value throws(ImportFault) in
            do throws(ParseExport.Fault) {
                return try ParseExport.user(value, of: id)
            } catch {
                throw ImportFault(id: error.id, sentence: error.description)
            }
        } name: {
            $0.user.id.rawValue
        } isWritable: {
            $0.user.isWritableByEverybody
        } takeIn: { users, modules throws(DomainError) in
            try await modules.accounts.importUsers(users, into: id, of: .parse, isRehearsal: isRehearsal)
        }
    }

    private var sessionImporter: Importer<ImportedSession> {
        let (id, isRehearsal) = (export.application.id, export.dryRun)
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
