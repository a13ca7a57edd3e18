import ArgumentParser
import Domain
import Foundation
import OkaeriServer

/// `okaeri application create`
struct CreateApplicationCommand: AsyncParsableCommand {
    private static let dayRange = 1...36_500

    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make an application.",
        discussion: """
            Prints the application's id, which the app is built with, and its admin key, which is shown only this once. \
            A running server knows the application at its next request. Where there is no data folder yet, one is made, \
            and named on standard error.

            Examples:
              okaeri application create "My app"
              okaeri application create "My app" --json > application.json
              okaeri application create Bank --proof-required --session-idle-days 7
              okaeri application create Game --enable kii,envelope --kii-app-id a1b2c3d4
              okaeri application create Shop --audience https://api.example.com
            """)

    @Argument(help: "The name that people see, at most \(CreateApplication.maximumNameCharacters) characters.")
    var name: String

    @Option(
        name: .customLong("audience"),
        help: ArgumentHelp(
            "Who may be named as the audience of an access token, beside the application itself. May be repeated.",
            valueName: "url"))
    var audiences: [String] = []

    @Flag(help: "Want a proof of possession of the device's key with every request (RFC 9449).")
    var proofRequired = false

    @Option(help: ArgumentHelp("How long a session lives without use. (default: 60)", valueName: "days"))
    var sessionIdleDays: Int?

    @Option(help: ArgumentHelp("How long a session lives at the most. (default: 400)", valueName: "days"))
    var sessionDays: Int?

    @Option(help: ArgumentHelp("How long a deleted user can come back, from 1 day. (default: 7)", valueName: "days"))
    var deletionGraceDays: Int?

    @Option(
        help: ArgumentHelp("Erase anonymous users without activity after so long. (default: never)", valueName: "days"))
    var eraseIdleDays: Int?

    @Option(
        help: ArgumentHelp(
            "The fewest characters of a new password, from \(PasswordRules.lowestMinimum) to "
                + "\(PasswordRules.highestMinimum). (default: \(PasswordRules.lowestMinimum))",
            valueName: "number"))
    var passwordMinimumCharacters: Int?

    @Option(
        help: ArgumentHelp(
            "The same for people without a second factor. (default: "
                + "\(ApplicationSettings.ofNewApplications.passwordOnlyMinimumCharacters))",
            valueName: "number"))
    var passwordOnlyMinimumCharacters: Int?

    @Option(
        name: .customLong("merge-rule"),
        help: ArgumentHelp(
            "What becomes of a field that both of two merged users have: keep, take, max, sum or union. May be repeated.",
            valueName: "field=rule"))
    var mergeRules: [MergeRuleArgument] = []

    @Option(
        help: ArgumentHelp(
            "A link into the app for QR codes of transfer codes, with {code} in it: myapp://transfer/{code}",
            valueName: "link"))
    var transferLink: String?

    @Option(
        help: ArgumentHelp(
            "Foreign protocols to switch on: ncmb,parse,kii,envelope. Keys that are given do so by themselves.",
            valueName: "list"))
    var enable: ProtocolList?

    @OptionGroup(title: "Keys that apps in the stores carry") var keys: ProtocolKeyOptions
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    /// The options of fields that have another name.
    private static let options = ["transferLink": "--transfer-link", "audiences": "--audience"]

    func validate() throws {
        let lengths = PasswordRules.lowestMinimum...PasswordRules.highestMinimum
        let minima = [
            ("--password-minimum-characters", passwordMinimumCharacters),
            ("--password-only-minimum-characters", passwordOnlyMinimumCharacters),
        ]
        for (option, minimum) in minima {
            guard let minimum, !lengths.contains(minimum) else { continue }
            throw ValidationError(
                "\(option) must be from \(lengths.lowerBound) to \(lengths.upperBound), not \(minimum).")
        }
        let spans = [
            ("--session-idle-days", sessionIdleDays), ("--session-days", sessionDays),
            ("--deletion-grace-days", deletionGraceDays), ("--erase-idle-days", eraseIdleDays),
        ]
        for (option, days) in spans {
            guard let days, !Self.dayRange.contains(days) else { continue }
            throw ValidationError(
                "\(option) must be from \(Self.dayRange.lowerBound) to \(Self.dayRange.upperBound) days, not \(days).")
        }
    }

    func run() async throws {
        var settings = ApplicationSettings.ofNewApplications
        settings.proofRequired = proofRequired
        settings.audiences = audiences
        if let sessionIdleDays { settings.sessionIdleLifetime = .days(sessionIdleDays) }
        if let sessionDays { settings.sessionLifetime = .days(sessionDays) }
        if let deletionGraceDays { settings.deletionGrace = .days(deletionGraceDays) }
        if let eraseIdleDays { settings.anonymousIdleLimit = .days(eraseIdleDays) }
        if let passwordMinimumCharacters { settings.passwordMinimumCharacters = passwordMinimumCharacters }
        if let passwordOnlyMinimumCharacters { settings.passwordOnlyMinimumCharacters = passwordOnlyMinimumCharacters }
        settings.transferLink = transferLink
        for rule in mergeRules { settings.mergeRules[rule.field] = rule.rule }
        var protocols = try keys.given()
        for name in enable?.names ?? [] where protocols[name] == nil { protocols[name] = [:] }
        let (name, wanted, enabled) = (name, settings, protocols)
        let server = try storage.settings()
        if server.isNewInstallation {
            let faults = CreateApplication.faults(name, wanted)
            // What is refused anyway makes no folder.
            guard faults.isEmpty else { throw CommandFault(.fieldsRefused(faults)).naming(Self.options) }
            // Most often it is meant; a mistyped folder shows here, and not when the app is unknown to the server.
            Console.tell(server.noteOnNewFolder("the application is made in a new installation"))
        }
        let made: CreateApplication.Made
        do throws(CommandFault) {
            made = try await server.perform(.createApplication, makesDatabase: true) {
                modules, who throws(DomainError) in
                try await modules.applications.createApplication(
                    name: name, settings: wanted, protocols: enabled, by: who)
            }
        } catch {
            throw error.naming(Self.options)
        }
        guard !output.isJSON else {
            return Console.write(json: Created(made))
        }
        let table = TextTable(
            [
                ("id", made.application.id.rawValue), ("name", made.application.name),
                ("admin key", made.adminKey.revealed),
            ] + made.protocols.lines)
        Console.write(
            """
            The application is made.
            \(table.text(indentation: 2))
            The admin key, and keys that make an administrator elsewhere, are not shown again; keep them safe.
            """)
        for keys in made.protocols {
            if let advice = made.application.advice(on: keys.protocolName) { Console.tell(advice) }
        }
    }

    /// Id, name and admin key, and a member for each protocol that is on.
    private struct Created: Encodable {
        let values: [String: String]
        let protocols: [String: [String: String]]

        init(_ made: CreateApplication.Made) {
            values = [
                "id": made.application.id.rawValue, "name": made.application.name, "adminKey": made.adminKey.revealed,
            ]
            protocols = made.protocols.described
        }

        func encode(to encoder: any Encoder) throws {
            try values.encode(to: encoder)
            try protocols.encode(to: encoder)
        }
    }
}

/// A rule for one field, as `score=max`.
struct MergeRuleArgument: ExpressibleByArgument {
    let field: String
    let rule: MergeRule

    init?(argument: String) {
        let parts = argument.split(separator: "=")
        guard parts.count == 2, let rule = MergeRule(rawValue: String(parts[1])) else { return nil }
        (field, self.rule) = (String(parts[0]), rule)
    }
}
