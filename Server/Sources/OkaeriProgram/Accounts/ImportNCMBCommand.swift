import ArgumentParser
import Domain
import NCMBAPI
import OkaeriServer

/// `okaeri import ncmb`
struct ImportNCMBCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ncmb",
        abstract: "Take members in from an export of NCMB.",
        discussion: """
            Ids, times, fields, access lists and authData stay. Passwords were never exported: members with a confirmed \
            mail address ask for a new one, members of a provider log in by it. For apps that used the device's id as user \
            name and password, say --device-ids: all who know such a name can then log in by it, as before.

            Members whose providers the application has not set up are refused: set those up first. Members with more than 100 \
            fields, 32 KiB or names of 255 characters are refused too, unless “okaeri application fields limits” allows more. \
            With --partial a member is taken in without what cannot be taken, as long as something leads to it; the report says \
            without what.

            Examples:
              okaeri import ncmb members.json --application 00VHj9mrbT8wn7Qk --dry-run
              okaeri import ncmb members.json --application 00VHj9mrbT8wn7Qk --partial
              okaeri import ncmb members.json --application 00VHj9mrbT8wn7Qk --device-ids
            """)

    @OptionGroup var users: ImportUsersOptions

    @Flag(help: "User names that differ in capitals alone are two members' names, as they were on NCMB.")
    var caseSensitiveNames = false

    @Flag(help: "Members whose user name is a device id have it for their password too.")
    var deviceIds = false

    func run() async throws {
        let (options, id, knowsDeviceIds) = (users.export, users.export.application.id, deviceIds)
        func advise() async throws {
            let target = try await options.source.storage.perform(.readSettings) { modules, who throws(DomainError) in
                try await modules.applications.findApplication(id)
            }
            if let advice = target.advice(on: .ncmb) { Console.tell(advice) }
        }
        try await users.run(of: .ncmb, takesTwins: caseSensitiveNames, beforeEnd: advise) {
            value, application, _ throws(ImportFault) in
            do throws(NCMBExport.Fault) {
                return try NCMBExport.member(value, of: application, knowsDeviceIds: knowsDeviceIds)
            } catch {
                throw ImportFault(id: error.id, sentence: error.description)
            }
        }
    }
}
