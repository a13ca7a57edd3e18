/// By which way mails leave the server.
package enum MailDelivery: Sendable {
    /// By none: what needs a mail is refused.
    case none
    /// Into the outbox, for development.
    case outbox
    /// By a carrier, for example SMTP.
    case carrier(any MailCarrier)

    /// Whether mails can leave the server.
    package var isAvailable: Bool {
        if case .none = self { false } else { true }
    }
}
