import ArgumentParser
import Domain
import KiiAPI

/// `okaeri import kii`
struct ImportKiiCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kii",
        abstract: "Take users in from a backup of Kii Cloud.",
        discussion: """
            Records are user objects as Kii's API showed them: ids, names, addresses, custom fields and linked accounts \
            stay. Where you have access tokens, put them in as “_accessToken”, or several as “_accessTokens”: apps then go \
            on with the tokens that they hold, which is the only way on for pseudo users. Kii never gave passwords away: users \
            who had one ask for a new one by mail. A record of a user who is there already still brings its tokens along, \
            so that they can come in a second file. A token comes once: a session that has ended since does not come back.

            A record that breaks a rule is refused. With --partial a user is taken in without what cannot be taken, such as a \
            password hash that costs too much to try, as long as something leads to it; the report says without what.

            Examples:
              okaeri import kii users.json --application 00VHj9mrbT8wn7Qk --dry-run
              okaeri import kii users.json --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var users: ImportUsersOptions

    func run() async throws {
        try await users.run(of: .kii) { value, application, now throws(ImportFault) in
            do throws(KiiExport.Fault) {
                return try KiiExport.user(value, of: application, at: now)
            } catch {
                throw ImportFault(id: error.id, sentence: error.description)
            }
        }
    }
}
