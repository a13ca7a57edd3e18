import ArgumentParser
import Domain
import Foundation

/// `okaeri application mail`
struct ApplicationMailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mail",
        abstract: "Show or change what an application's mails say.",
        discussion: """
            Without options it shows the present settings. An empty value removes one, and so goes back to the default.

            A link gets the token behind it: https://app.example.com/reset?token=… Without a link the mail has a code to \
            type or to copy into the app.

            The templates file replaces all own templates. Its members are the kinds of mail \
            (\(MailKind.allCases.map(\.rawValue).joined(separator: ", "))), theirs are the languages \
            (\(MailLanguage.allCases.map(\.rawValue).joined(separator: ", "))), each with subject, text and, if wanted, \
            html. In double braces stand \(MailValue.allCases.map(\.rawValue).joined(separator: ", ")):

              {"log-in-code": {"ja": {"subject": "ログイン", "text": "コード: {{code}}"}}}

            Examples:
              okaeri application mail 00VHj9mrbT8wn7Qk
              okaeri application mail 00VHj9mrbT8wn7Qk --sender-name "My app"
              okaeri application mail 00VHj9mrbT8wn7Qk \\
                --reset-url https://app.example.com/reset
              okaeri application mail 00VHj9mrbT8wn7Qk --templates mail.json
            """)

    @Argument(help: "The application's id.")
    var id: String

    @Option(help: ArgumentHelp("The name that mails come from. (default: the application's name)", valueName: "name"))
    var senderName: String?

    @Option(
        name: .customLong("verification-url"),
        help: ArgumentHelp("The page that takes a verification's token.", valueName: "url"))
    var verificationURL: String?

    @Option(
        name: .customLong("reset-url"),
        help: ArgumentHelp("The page that takes a password reset's token.", valueName: "url"))
    var resetURL: String?

    @Option(help: ArgumentHelp("A JSON file with own templates.", valueName: "file"))
    var templates: String?

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let id = Identifier<Application>(rawValue: id)
        let (senderName, verificationURL, resetURL) = (senderName, verificationURL, resetURL)
        let templates = try readTemplates()
        let application: Application
        do throws(CommandFault) {
            application = try await storage.perform(.changeMail) { modules, who throws(DomainError) in
                try await modules.messaging.changeMailSettings(of: id, by: who) { mail in
                    if let senderName { mail.senderName = senderName.isEmpty ? nil : senderName }
                    if let verificationURL { mail.verificationURL = verificationURL.isEmpty ? nil : verificationURL }
                    if let resetURL { mail.resetURL = resetURL.isEmpty ? nil : resetURL }
                    if let templates { mail.templates = templates }
                }
            }
        } catch {
            throw error.naming([
                "mail.senderName": "--sender-name", "mail.verificationURL": "--verification-url",
                "mail.resetURL": "--reset-url",
            ])
        }
        let mail = application.settings.mail
        let own = mail.templates.flatMap { kind, languages in languages.keys.map { "\(kind.rawValue)/\($0.rawValue)" } }
        guard !output.isJSON else {
            return Console.write(
                json: Output(
                    senderName: mail.senderName ?? application.name, verificationURL: mail.verificationURL,
                    resetURL: mail.resetURL, templates: own.sorted()))
        }
        Console.write(
            TextTable([
                "sender": mail.senderName ?? application.name, "verification page": mail.verificationURL,
                "reset page": mail.resetURL, "own templates": own.sorted().joined(separator: " "),
            ]).text())
    }

    /// The templates of the file; `nil` without one, none for an empty name.
    private func readTemplates() throws(CommandFault) -> [MailKind: [MailLanguage: MailTemplate]]? {
        guard let templates else { return nil }
        guard !templates.isEmpty else { return [:] }
        let named: [String: [String: MailTemplate]]
        do {
            named = try JSONDecoder().decode(
                [String: [String: MailTemplate]].self, from: Data(contentsOf: URL(fileURLWithPath: templates)))
        } catch {
            throw .usage(
                "\(templates) cannot be read as templates by kind and language, each with subject, text and html.")
        }
        var read: [MailKind: [MailLanguage: MailTemplate]] = [:]
        for (kindName, languages) in named {
            guard let kind = MailKind(rawValue: kindName) else {
                throw .usage("\(templates) has “\(kindName)”, which is no kind of mail.")
            }
            for (languageName, template) in languages {
                guard let language = MailLanguage(rawValue: languageName) else {
                    throw .usage("\(templates) has “\(languageName)”, which is no language of mails.")
                }
                read[kind, default: [:]][language] = template
            }
        }
        return read
    }

    private struct Output: Encodable {
        let senderName: String
        let verificationURL: String?
        let resetURL: String?
        let templates: [String]
    }
}
