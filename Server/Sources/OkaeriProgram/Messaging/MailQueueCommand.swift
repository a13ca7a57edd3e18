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
            was given up is shown for seven days, with the reason. “okaeri mail retry” sends them again.

            Examples:
              okaeri mail queue --application 00VHj9mrbT8wn7Qk
              okaeri mail queue --application 00VHj9mrbT8wn7Qk --json
            """)

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let id = application.id
        let mails = try await storage.perform(.readMailQueue) { modules, _ throws(DomainError) -> [QueuedMail] in
            var (mails, isWhole) = ([QueuedMail](), false)
            while !isWhole {
                let page = try await modules.messaging.listQueuedMail(in: id, after: mails.last?.id)
                mails += page
                isWhole = page.count < ListQueuedMail.maximumPageSize
            }
            return mails
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

/// `okaeri mail retry`
struct RetryMailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Send mails again that wait for another try or were given up.",
        discussion: """
            Without an id all of the application. A mail whose code has expired is not sent again: people ask for another. \
            A server that runs sends them within a minute.

            Examples:
              okaeri mail retry --application 00VHj9mrbT8wn7Qk
              okaeri mail retry 00VHj9mrbT8wn7Qm --application 00VHj9mrbT8wn7Qk
            """)

    @Argument(help: "The mail's id, as “okaeri mail queue” shows it; all without it.")
    var mail: String?

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (id, mail) = (application.id, mail)
        let count: Int
        do throws(CommandFault) {
            count = try await storage.perform(.retryMail, in: id) { modules, who throws(DomainError) -> Int in
                let manage = modules.messaging.manageQueuedMail
                guard let mail else { return try await manage.retryAll(in: id, by: who) }
                _ = try await manage.retry(Identifier(rawValue: mail), in: id, by: who)
                return 1
            }
        } catch {
            throw error.ofMissingMail()
        }
        guard !output.isJSON else { return Console.write(json: Output(count: count)) }
        Console.write(count == 0 ? "No mail can be sent again." : "Due now: \(count.counted("mail")).")
    }

    private struct Output: Encodable {
        let count: Int
    }
}

/// `okaeri mail drop`
struct DropMailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop",
        abstract: "Take a mail out of the queue.",
        discussion: """
            One that is being sent may arrive all the same.

            Example:
              okaeri mail drop 00VHj9mrbT8wn7Qm --application 00VHj9mrbT8wn7Qk
            """)

    @Argument(help: "The mail's id, as “okaeri mail queue” shows it.")
    var mail: String

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions

    func run() async throws {
        let (id, mail) = (application.id, mail)
        do throws(CommandFault) {
            try await storage.perform(.dropMail, in: id) { modules, who throws(DomainError) in
                try await modules.messaging.manageQueuedMail.drop(Identifier(rawValue: mail), in: id, by: who)
            }
        } catch {
            throw error.ofMissingMail()
        }
        Console.write("The mail is out of the queue.")
    }
}

extension CommandFault {
    /// The fault, with the command that lists mails when this one is not among them.
    fileprivate func ofMissingMail() -> CommandFault {
        saying(
            "The application has no such mail; one that was sent is gone. “okaeri mail queue” shows those that wait.",
            of: .adminResourceUnknown)
    }
}
