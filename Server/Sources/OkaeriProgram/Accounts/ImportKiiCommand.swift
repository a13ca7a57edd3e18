import ArgumentParser
import Domain
import Foundation
import KiiAPI
import Okaeri
import OkaeriServer
@_spi(TotalConversions) import OkaeriWire

/// `okaeri import kii`
struct ImportKiiCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kii",
        abstract: "Take users in from a backup of Kii Cloud.",
        discussion: """
            Records are user objects as Kii's API showed them: ids, names, addresses, custom fields and linked accounts \
            stay. Where you have access tokens, put them in as “_accessToken”, or several as “_accessTokens”: apps then go \
            on with the tokens that they hold, which is the only way on for pseudo users. Kii never told passwords: users \
            who had one ask for a new one by mail. A record of a user who is there already still brings its tokens along, \
            so that they can come in a second file.

            Examples:
              okaeri import kii users.json --application 00VHj9mrbT8wn7Qk --dry-run
              okaeri import kii users.json --application 00VHj9mrbT8wn7Qk
            """)

    @Argument(help: "The backup: an array of users, alone or as “results”, or one user a line.")
    var file: String

    @Flag(help: "Check everything and write nothing.")
    var dryRun = false

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        guard let handle = FileHandle(forReadingAtPath: file) else {
            throw CommandFault.failed("\(file) cannot be read.")
        }
        let (records, id, isRehearsal) = (RecordFile(handle), application.id, dryRun)
        let now = Timestamp(milliseconds: Int64(clamping: SystemClock().now.timeIntervalSince1970 * 1000))
        let importer = Importer(application: id, isRehearsal: isRehearsal) { value throws(ImportFault) in
            do throws(KiiExport.Fault) {
                return try KiiExport.user(value, of: id, at: now)
            } catch {
                throw ImportFault(id: error.id, sentence: error.description)
            }
        } name: {
            $0.user.id.rawValue
        } takeIn: { users, modules throws(DomainError) in
            try await modules.accounts.importUsers(users, into: id, of: .kii, isRehearsal: isRehearsal)
        }
        let report = try await importer.run(records, storage)
        output.isJSON ? Console.write(json: report) : Console.write(report.text)
        guard report.refused.isEmpty else { throw ExitCode(1) }
    }
}
