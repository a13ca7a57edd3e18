package import Domain

/// A mail in the form in which mail servers take it (RFC 5322, RFC 2045 to 2047): text and HTML as alternatives.
package struct MIMEMessage: Sendable {
    /// A value that would break out of its header. The fault names it without repeating it.
    package struct Refusal: Error, Hashable {
        package let field: String

        package init(field: String) {
            self.field = field
        }
    }

    /// The sender's address, as it is sent to mail servers.
    package let sender: String
    /// The recipient's address, as it is sent to mail servers.
    package let recipient: String
    package let bytes: [UInt8]

    /// - Parameters:
    ///   - message: What to write.
    ///   - sender: The address that it comes from.
    /// - Throws: `Refusal` for an address, a name or a subject that holds a control character, and for an address that
    ///   holds anything else that ends one.
    package init(_ message: MailMessage, from sender: String) throws(Refusal) {
        for (field, value) in [
            ("subject", message.subject), ("sender's name", message.senderName), ("id", message.id),
            ("language", message.language),
        ] where !Self.isOneLine(value) {
            throw Refusal(field: field)
        }
        guard Self.isAddress(message.recipient) else { throw Refusal(field: "recipient") }
        guard Self.isAddress(sender) else { throw Refusal(field: "sender") }
        self.sender = sender
        recipient = Self.quoted(message.recipient)
        // In base64 no line begins with hyphens, so the boundary needs only to be one.
        let boundary =
            "=_okaeri_\(String(decoding: message.id.utf8.filter { Self.isAlphanumeric($0) }, as: UTF8.self))"
        let domain = sender.pieces(at: "@").last ?? ""
        let lines = [
            "From: \(MIMEText.phrase(message.senderName))\r\n <\(sender)>",
            "To: <\(recipient)>",
            "Subject: \(MIMEText.header(message.subject))",
            "Date: \(MIMEText.date(millisecondsSince1970: message.writtenAt))",
            "Message-ID: <\(message.id)@\(domain)>",
            "Auto-Submitted: auto-generated",
            "Content-Language: \(message.language)",
            "MIME-Version: 1.0",
            "Content-Type: multipart/alternative; boundary=\"\(boundary)\"",
            "",
            "--\(boundary)",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: base64",
            "",
            MIMEText.body(message.text),
            "--\(boundary)",
            "Content-Type: text/html; charset=utf-8",
            "Content-Transfer-Encoding: base64",
            "",
            MIMEText.body(message.html),
            "--\(boundary)--",
            "",
        ]
        bytes = Array(lines.joined(separator: "\r\n").utf8)
    }

    /// Whether a text stays within its line: no control characters, no separators of lines or paragraphs.
    private static func isOneLine(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }

    /// Whether a text is one address and nothing else: no spaces, brackets, commas, quotation marks, control characters.
    package static func isAddress(_ text: String) -> Bool {
        let parts = text.pieces(at: "@", keepsEmpty: true)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && text.utf8.count <= 320 && isOneLine(text)
            && !text.unicodeScalars.contains {
                $0.properties.isWhitespace || "<>()[],;:\\\"".unicodeScalars.contains($0)
            }
    }

    /// The address in the standard's form: a name in which dots stand between no words is in quotation marks (RFC 5321 §4.1.2).
    private static func quoted(_ address: String) -> String {
        guard let parts = address.cut(at: "@"),
            parts.before.pieces(at: ".", keepsEmpty: true).contains(where: \.isEmpty)
        else { return address }
        return "\"\(parts.before)\"@\(parts.after)"
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
    }
}
