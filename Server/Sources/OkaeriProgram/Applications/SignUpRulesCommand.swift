import ArgumentParser
import Domain

/// `okaeri application sign-up`
struct SignUpRulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-up",
        abstract: "Show or change what an application's sign-up demands and asks for.",
        discussion: """
            Without options it shows the present rules. They hold in the REST protocol, on the hosted pages and in the \
            published profile, which apps' screens go by. Apps of old protocols keep the rules of their own service unless \
            --old-protocols is given.

            Examples:
              okaeri application sign-up 00VHj9mrbT8wn7Qk
              okaeri application sign-up 00VHj9mrbT8wn7Qk \\
                --username-minimum-characters 3 --email-required
              okaeri application sign-up 00VHj9mrbT8wn7Qk --asks-phone --asks-display-name
              okaeri application sign-up 00VHj9mrbT8wn7Qk --no-email-required
            """)

    @Argument(help: "The application's id.")
    var id: String

    @Option(
        help: ArgumentHelp(
            "The fewest characters of a new user name, from \(SignUpRules.lengths.lowerBound) to "
                + "\(SignUpRules.lengths.upperBound).",
            valueName: "number"))
    var usernameMinimumCharacters: Int?

    @Flag(inversion: .prefixedNo, help: "Nobody registers without a mail address.")
    var emailRequired: Bool?

    @Flag(inversion: .prefixedNo, help: "Sign-up forms have a field for a phone number.")
    var asksPhone: Bool?

    @Flag(inversion: .prefixedNo, help: "Sign-up forms have a field for the name that is shown.")
    var asksDisplayName: Bool?

    @Flag(inversion: .prefixedNo, help: "Apps of old protocols are held to it too.")
    var oldProtocols: Bool?

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        let lengths = SignUpRules.lengths
        guard let usernameMinimumCharacters, !lengths.contains(usernameMinimumCharacters) else { return }
        throw ArgumentParser.ValidationError(
            "--username-minimum-characters must be from \(lengths.lowerBound) to \(lengths.upperBound), not "
                + "\(usernameMinimumCharacters).")
    }

    func run() async throws {
        let id = Identifier<Application>(rawValue: id)
        let (minimum, emailRequired, oldProtocols) = (usernameMinimumCharacters, emailRequired, oldProtocols)
        let (asksPhone, asksDisplayName) = (asksPhone, asksDisplayName)
        let rules = try await storage.perform(.changeSettings) { modules, who throws(DomainError) in
            try await modules.applications.changeApplication(id, isCurrent: { _ in true }, by: who) { application in
                var rules = application.settings.signUp
                if let minimum { rules.usernameMinimumCharacters = minimum }
                if let emailRequired { rules.isEmailRequired = emailRequired }
                if let asksPhone { rules.asksPhone = asksPhone }
                if let asksDisplayName { rules.asksDisplayName = asksDisplayName }
                if let oldProtocols { rules.holdsOldProtocols = oldProtocols }
                application.settings.signUp = rules
            }.settings.signUp
        }
        guard !output.isJSON else {
            return Console.write(
                json: Output(
                    usernameMinimumCharacters: rules.usernameMinimumCharacters, emailRequired: rules.isEmailRequired,
                    asksPhone: rules.asksPhone, asksDisplayName: rules.asksDisplayName,
                    oldProtocols: rules.holdsOldProtocols))
        }
        Console.write(
            TextTable([
                "user name, from": "\(rules.usernameMinimumCharacters) characters",
                "mail address": rules.isEmailRequired ? "required" : "optional",
                "phone number": rules.asksPhone ? "asked" : "not asked",
                "name to be shown": rules.asksDisplayName ? "asked" : "not asked",
                "old protocols": rules.holdsOldProtocols ? "held to it" : "by their own rules",
            ]).text())
    }

    private struct Output: Encodable {
        let usernameMinimumCharacters: Int
        let emailRequired: Bool
        let asksPhone: Bool
        let asksDisplayName: Bool
        let oldProtocols: Bool
    }
}
