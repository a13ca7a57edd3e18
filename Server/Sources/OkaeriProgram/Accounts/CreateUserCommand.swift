import ArgumentParser
import Domain
import HTTPSupport
import OkaeriWire

/// `okaeri user create`
struct CreateUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a user for somebody, without a password.",
        discussion: """
            The person chooses a password: by “Forgotten your password?” on the log-in page, or by the mail that the \
            user's page of the dashboard sends. That needs a mail address. Who has none comes in by a transfer code of the \
            dashboard, where the app takes one. Apps of old protocols that ask for a user name know nobody by an address: \
            for those give both. Many users at once, with passwords, are for “okaeri import users”.

            Examples:
              okaeri user create --email hana@example.com \\
                --application 00VHj9mrbT8wn7Qk
              okaeri user create --username hana --display-name "花子" --locale ja \\
                --application 00VHj9mrbT8wn7Qk --json
            """)

    @Option(help: ArgumentHelp("The user name.", valueName: "name"))
    var username: String?

    @Option(help: ArgumentHelp("The mail address, which is not verified yet.", valueName: "address"))
    var email: String?

    @Option(
        help: ArgumentHelp("The phone number in international form, which is not verified yet.", valueName: "number"))
    var phone: String?

    @Option(help: ArgumentHelp("The name to greet by.", valueName: "name"))
    var displayName: String?

    @Option(help: ArgumentHelp("The person's language, such as ja.", valueName: "tag"))
    var locale: String?

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    /// The options of fields that have another name.
    private static let options = ["displayName": "--display-name"]

    func run() async throws {
        let identifiers = NewIdentifiers(
            username: ValueChange(given: username), email: ValueChange(given: email),
            phone: ValueChange(given: phone), rules: .native)
        let profile = UserRegistration.Profile(displayName: displayName, locale: locale)
        let applicationId = application.id
        let user: User
        do throws(CommandFault) {
            user = try await storage.perform(.createUser, in: applicationId) { modules, who throws(DomainError) in
                try await modules.accounts.createUser(
                    identifiers, profile, in: try await modules.applications.findApplication(applicationId), by: who)
            }
        } catch {
            throw error.naming(Self.options)
        }
        guard !output.isJSON else { return Console.write(json: UserBody(user)) }
        Console.write(
            "The user \(user.id) is made. "
                + (user.email == nil
                    ? "Nothing leads to it yet but a transfer code of the dashboard."
                    : "The person chooses a password by “Forgotten your password?” on the log-in page."))
    }
}
