/// A mail or a text message that waits to be sent: to whom, about what, with which secret. It is stored in the database only
/// sealed.
package struct RenderedMessage: Hashable, Codable, Sendable {
    package var kind: MailKind
    package var recipient: String
    /// BCP 47 tags, the most wanted first.
    package var languages: [String]
    /// What the reader types, or what stands behind the link.
    package var code: String?
    /// How long the code is good, in minutes.
    package var minutes: Int?
    /// The mail address that this is about, when it is not the recipient's.
    package var email: String?
    /// Where this server's own pages for the application are, for an application that has none.
    package var pages: String?
    /// The names of the providers whose identities lead to the account after a change of its password.
    package var linked: [String]?
    /// The last two digits of a proved number of the account after a change of its password.
    package var numberEnding: String?
    /// Whether the account's access list lets somebody else in after a change of its password.
    package var isShared: Bool?
    /// What must still hold when it leaves; `nil` for a notice of what was done, which goes to the address of then whatever
    /// comes after it, and for an example.
    package var condition: Condition?

    /// What a message says that may end before the message leaves.
    package struct Condition: Hashable, Codable, Sendable {
        /// Whose address it goes to, or who registers with it.
        package var user: String
        /// What the code in it is looked up by, in base64url.
        package var codeHandle: String?
        /// When the password in it was set, in milliseconds since 1970.
        package var passwordSetAt: Int64?

        init(of user: Identifier<User>) {
            self.user = user.rawValue
        }

        init(_ code: MailedCode) {
            user = code.user.rawValue
            codeHandle = Base64URL.text(of: code.handle.bytes)
        }
    }

    package init(
        kind: MailKind, recipient: String, languages: [String], code: String? = nil, minutes: Int? = nil,
        email: String? = nil, pages: String? = nil
    ) {
        self.kind = kind
        self.recipient = recipient
        self.languages = languages
        self.code = code
        self.minutes = minutes
        self.email = email
        self.pages = pages
    }
}

extension RenderedMessage {
    /// The mail in its language: in the application's own words, or in the built-in ones.
    package func message(
        id: Identifier<QueuedMail>, from application: Application, writtenAt: Timestamp, by renderer: any MailRenderer
    ) -> MailMessage {
        let settings = application.settings.mail
        let (language, template, values) = template(for: application)
        let words = besideSecret(values)
        return MailMessage(
            id: id.rawValue, senderName: (settings.senderName ?? application.name).onOneLine, recipient: recipient,
            subject: MailTemplate.fill(template.subject) { values[$0] ?? "" }.onOneLine,
            text: MailTemplate.fill(template.text) { words[$0] ?? "" },
            html: renderer.page(of: template, in: language, words), language: language.rawValue,
            writtenAt: writtenAt)
    }

    /// The text message in its language, in the same words.
    package func textMessage(id: Identifier<QueuedMail>, from application: Application) -> TextMessage {
        let (language, template, values) = template(for: application)
        let words = besideSecret(values)
        return TextMessage(
            id: id.rawValue, recipient: recipient, text: MailTemplate.fill(template.text) { words[$0] ?? "" },
            language: language.rawValue, purpose: kind.rawValue)
    }

    /// The values as they may stand in a text with a secret. A name that is an address ends with a space: programs for mail take the
    /// letters behind it, of every script and with the secret among them, for a part of the address.
    private func besideSecret(_ values: [MailValue: String]) -> [MailValue: String] {
        guard kind.hasSecret, let name = values[.application], name.mayBeAddress else { return values }
        return values.merging([.application: " \(name) "]) { $1 }
    }

    private func template(
        for application: Application
    ) -> (language: MailLanguage, template: MailTemplate, values: [MailValue: String]) {
        let settings = application.settings.mail
        let language = MailLanguage.best(of: languages)
        // An owner who reads of a sign-up goes to the log-in, where nothing has to be proved by the mail.
        let link =
            kind == .addressTaken
            ? pages.map { "\($0)/log-in" } : code.flatMap { settings.link(for: kind, token: $0, pages: pages) }
        var values: [MailValue: String] = [.application: application.name, .email: email ?? recipient]
        values[.code] = code
        values[.link] = link
        values[.minutes] = minutes.map(String.init)
        values[.duration] = minutes.map { DurationText(Duration.seconds(60) * $0).text(in: language) }
        var template = MailTexts.template(
            for: kind, in: language, hasLink: link != nil,
            further: MailTexts.further(for: self, in: language))
        if link != nil, kind == .passwordReset, settings.resetPage == nil {
            // The app may have a field for the code, and the pages take it too.
            template.text = template.text.replacing(
                "{{link}}", with: "{{link}}\n\n\(MailTexts.codeForApp(in: language))\n\n{{code}}")
        }
        // Own words that need a link are no use to an application that has none.
        if let own = settings.templates[kind]?[language], link != nil || !own.uses(.link) { template = own }
        return (language, template, values)
    }
}

extension Transaction {
    /// Why a message is not to be sent any more: a dead code helps nobody, and a living secret is not for who has the address now.
    ///
    /// - Returns: the reason, for operators; `nil` for a message that is still good.
    func fault(
        of message: RenderedMessage, in application: Identifier<Application>, at now: Timestamp
    ) throws(DomainError) -> String? {
        guard let condition = message.condition else { return nil }
        let (kind, address) = (message.kind.addressKind, message.email ?? message.recipient)
        let holder = try user(Identifier(rawValue: condition.user), in: application)
        if let text = condition.codeHandle {
            guard let handle = Base64URL.bytes(of: text.utf8).flatMap(SecretDigest.init(stored:)),
                let kept = try code(handle, in: application), kept.usedBy == nil, now < kept.expiresAt
            else { return DeliveryFault.text(.codeEnded) }
            guard kept.replaces == holder?.identifier(kind) else { return DeliveryFault.text(.addressReplaced) }
            guard message.kind.makesAddressTheUsers,
                let owner = try user(LogInIdentifier(kind, shown: address), in: application),
                owner.id.rawValue != condition.user, message.kind != .phoneVerification || owner.hasProved(kind)
            else { return nil }
            return DeliveryFault.text(.addressTaken)
        }
        // A password can be mailed to a name that is an address.
        guard let present = holder?.identifier(kind) ?? holder?.username,
            LogInIdentifier(kind, shown: present).folded == LogInIdentifier(kind, shown: address).folded
        else { return DeliveryFault.text(.addressGone) }
        guard condition.passwordSetAt == nil || condition.passwordSetAt == holder?.passwordSetAt?.milliseconds else {
            return DeliveryFault.text(.passwordChanged)
        }
        return nil
    }
}

extension MailKind {
    /// Whether its code gives the address to who uses it, which no other user may have then.
    fileprivate var makesAddressTheUsers: Bool {
        switch self {
        case .emailVerification, .phoneVerification, .registration: true
        default: false
        }
    }
}

extension String {
    /// Signs without which nothing is taken for an address.
    private static let signsOfAddresses = Set("./:。．｡／：".unicodeScalars)

    fileprivate var mayBeAddress: Bool { unicodeScalars.contains(where: Self.signsOfAddresses.contains) }

    /// Without what would begin a line: no header holds it.
    fileprivate var onOneLine: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar -> Unicode.Scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .lineSeparator, .paragraphSeparator: " "
                    default: scalar
                    }
                }))
    }
}
