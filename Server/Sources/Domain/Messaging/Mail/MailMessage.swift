/// A mail as its reader gets it.
package struct MailMessage: Hashable, Codable, Sendable {
    /// Names the mail, so that one that is sent twice can be distinguished from two.
    package var id: String
    /// The name in front of the sender's address.
    package var senderName: String
    package var recipient: String
    package var subject: String
    package var text: String
    package var html: String
    /// A BCP 47 tag.
    package var language: String
    /// Milliseconds since 1970.
    package var writtenAt: Int64

    package init(
        id: String, senderName: String, recipient: String, subject: String, text: String, html: String,
        language: String, writtenAt: Timestamp
    ) {
        self.id = id
        self.senderName = senderName
        self.recipient = recipient
        self.subject = subject
        self.text = text
        self.html = html
        self.language = language
        self.writtenAt = writtenAt.milliseconds
    }
}

/// Draws mails with a layout, for readers that show one.
package protocol MailRenderer: Sendable {
    /// The page of a template with its values in place; one without a layout of its own gets it from its text.
    func page(of template: MailTemplate, in language: MailLanguage, _ values: [MailValue: String]) -> String
}

/// Hands mails over to those who deliver them.
package protocol MailCarrier: Sendable {
    /// Hands one mail over, and tells how that went. It may take as long as a mail server takes.
    func deliver(_ message: MailMessage) async -> MailOutcome
}

/// How handing a mail over went. A reason names neither the recipient nor the content.
package enum MailOutcome: Hashable, Sendable {
    case delivered
    /// It was refused for good: trying again is no use.
    case refused(reason: String)
    /// It may work later.
    case failed(reason: String)
    /// All of it was handed over, and nobody said whether it was taken: it may be on its way, and comes twice when it is sent again.
    case unanswered(reason: String)
}

/// By which way mails leave the server.
package enum MailDelivery: Sendable {
    /// By none: what needs a mail is refused.
    case none
    /// Into the outbox, for development.
    case outbox
    /// By a carrier, for example SMTP.
    case carrier(any MailCarrier)
    /// By the server beside which a command works, and which sends what the command puts into the queue.
    case server

    /// Whether mails can leave the server.
    package var isAvailable: Bool {
        if case .none = self { false } else { true }
    }
}
