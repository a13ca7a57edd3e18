/// A text message (SMS) as its reader gets it. It waits in the queue of the mails.
package struct TextMessage: Hashable, Sendable {
    /// Names the message, so that one that is sent twice can be distinguished from two.
    package var id: String
    /// A phone number in E.164.
    package var recipient: String
    package var text: String
    /// A BCP 47 tag.
    package var language: String
    /// The `MailKind`, for carriers that need to know.
    package var purpose: String

    package init(id: String, recipient: String, text: String, language: String, purpose: String) {
        self.id = id
        self.recipient = recipient
        self.text = text
        self.language = language
        self.purpose = purpose
    }
}

/// Hands text messages over to those who deliver them.
package protocol TextMessageCarrier: Sendable {
    /// Hands one over, and tells how that went.
    func deliver(_ message: TextMessage) async -> MailOutcome
}

/// By which way text messages leave the server.
package enum TextMessageDelivery: Sendable {
    /// By none: what needs one is refused.
    case none
    /// Into the outbox of the mails, for development.
    case outbox
    /// By a carrier, for example the operator's webhook.
    case carrier(any TextMessageCarrier)

    /// Whether text messages can leave the server.
    package var isAvailable: Bool {
        if case .none = self { false } else { true }
    }
}
