import ArgumentParser
import Domain
import HTTPSupport
import OkaeriWire

/// `okaeri mail outbox`
struct MailOutboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "Show the mails that a server under development did not send.",
        discussion: """
            A server that was started with --dev keeps mails here instead of sending them, for seven days. Newest first, \
            at most \(ReadOutbox.maximumMails).

            Examples:
              okaeri mail outbox --application 00VHj9mrbT8wn7Qk
              okaeri mail outbox --application 00VHj9mrbT8wn7Qk --limit 1 --json
            """)

    @OptionGroup var application: ApplicationOption

    @Option(help: ArgumentHelp("How many mails to show.", valueName: "number"))
    var limit = 10

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...ReadOutbox.maximumMails).contains(limit) else {
            throw ValidationError("--limit must be from 1 to \(ReadOutbox.maximumMails), not \(limit).")
        }
    }

    func run() async throws {
        let (id, limit) = (application.id, limit)
        let mails = try await storage.perform(.readMailOutbox) { modules, who throws(DomainError) in
            Array(try await modules.messaging.readOutbox(of: id).prefix(limit))
        }
        guard !output.isJSON else { return Console.write(json: Output(mails: mails.map(Entry.init(_:)))) }
        guard !mails.isEmpty else { return Console.write("The outbox is empty.") }
        for mail in mails {
            let head = TextTable([
                "to": mail.recipient, "from": mail.senderName, "subject": mail.subject,
                "written": Timestamp(milliseconds: mail.writtenAt).localText,
            ])
            Console.write("\(head.text())\n\n\(mail.text)")
        }
    }

    private struct Output: Encodable {
        let mails: [Entry]
    }

    private struct Entry: Encodable {
        let id: String
        let to: String
        let from: String
        let subject: String
        let text: String
        let html: String
        let language: String
        let writtenAt: WireTime

        init(_ mail: MailMessage) {
            id = mail.id
            to = mail.recipient
            from = mail.senderName
            subject = mail.subject
            text = mail.text
            html = mail.html
            language = mail.language
            writtenAt = Timestamp(milliseconds: mail.writtenAt).wire
        }
    }
}
