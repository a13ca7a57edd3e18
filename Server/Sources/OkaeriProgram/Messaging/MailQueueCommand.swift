import ArgumentParser
import Domain
import HTTPSupport

/// `okaeri mail queue`
struct MailQueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Show the mails of an application that wait or were given up.",
        discussion: """
            Oldest first. To whom they go and what they say is not shown. A mail that was sent leaves the queue; one that \
            was given up is shown for seven days, with the reason.

            Examples:
              okaeri mail queue --application 00VHj9mrbT8wn7Qk
              okaeri mail queue --application 00VHj9mrbT8wn7Qk --json
            """)

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let id = application.id
        let mails = try await storage.perform(.readMailQueue) { modules, who throws(DomainError) in
            try await modules.messaging.listQueuedMail(in: id)
        }
        guard !output.isJSON else { return Console.write(json: Output(mails: mails.map(QueuedMailBody.init(_:)))) }
        guard !mails.isEmpty else { return Console.write("No mail waits.") }
        var table = TextTable("ID", "KIND", "QUEUED", "TRIES", "NEXT TRY", "LAST FAULT")
        for mail in mails {
            table.add(
                mail.id.rawValue, mail.kind.rawValue, mail.createdAt.localText, String(mail.attempts),
                mail.nextTryAt?.localText ?? "given up", mail.lastFault)
        }
        Console.write(table.text())
    }

    private struct Output: Encodable {
        let mails: [QueuedMailBody]
    }
}
