/// A mail as somebody would get it, with made-up values: what is stored, or what is about to be.
package struct PreviewMail: Sendable {
    let clock: any WallClock
    let pagesURL: String?
    let renderer: any MailRenderer

    /// - Parameters:
    ///   - kind: What the mail is for.
    ///   - language: Its language.
    ///   - template: Own words to try; `nil` for those that hold.
    ///   - application: From which.
    ///   - recipient: To whom.
    /// - Returns: the mail.
    /// - Throws: `fieldsRefused` for a template that breaks a rule.
    package func callAsFunction(
        _ kind: MailKind, in language: MailLanguage, template: MailTemplate? = nil, of application: Application,
        to recipient: String = "hanako@example.com"
    ) throws(DomainError) -> MailMessage {
        var application = application
        if let template {
            let faults = template.faults(for: kind, field: "template")
            guard faults.isEmpty else { throw .fieldsRefused(faults) }
            application.settings.mail.templates[kind, default: [:]][language] = template
        }
        return rendered(kind, in: language, of: application, to: recipient)
            .message(id: Identifier(rawValue: "preview"), from: application, writtenAt: clock.now, by: renderer)
    }

    /// The built-in words, as they stand in for an application's own.
    package func words(_ kind: MailKind, in language: MailLanguage, of application: Application) -> MailTemplate {
        let pages = pages(for: kind, of: application)
        let hasLink =
            kind == .addressTaken
            ? pages != nil : application.settings.mail.link(for: kind, token: "", pages: pages) != nil
        return MailTexts.template(for: kind, in: language, hasLink: hasLink)
    }

    /// Where the mail leads when the application has no page of its own.
    private func pages(for kind: MailKind, of application: Application) -> String? {
        [.passwordReset, .registration, .emailRecovery, .addressTaken].contains(kind)
            ? pagesURL.map { "\($0)/a/\(application.id)" } : nil
    }

    /// The mail with a code that opens nothing, because nobody issued it.
    func rendered(
        _ kind: MailKind, in language: MailLanguage, of application: Application, to recipient: String
    ) -> RenderedMessage {
        let pages = pages(for: kind, of: application)
        let hasLink = application.settings.mail.link(for: kind, token: "", pages: pages) != nil
        let form = CodeForm.form(of: kind, hasLink: hasLink)
        return RenderedMessage(
            kind: kind, recipient: recipient, languages: [language.rawValue],
            code: kind.hasSecret ? form.example : nil, minutes: Int(clamping: form.life.wholeMilliseconds / 60_000),
            email: recipient, pages: pages)
    }
}

/// Sends such a mail to an operator, to see that mails arrive and how they look.
package struct SendTestMail: Sendable {
    /// For each application.
    package static let limit = RateLimit.hourly(20)
    private static let life: Duration = .seconds(3600)

    let store: any Store
    let clock: any WallClock
    let preview: PreviewMail
    let sealing: MailSealing
    let delivery: MailDelivery
    let rateLimiter: RateLimiter
    let audit: AuditTrail

    /// - Throws: `mailUnavailable`, `fieldsRefused` for what is no mail address, `rateLimited`, `secretUnreadable`,
    ///   `storageUnavailable`.
    package func callAsFunction(
        _ kind: MailKind, in language: MailLanguage, of application: Application, to address: String, by who: Operator
    ) async throws(DomainError) {
        guard delivery.isAvailable else { throw .mailUnavailable }
        guard let recipient = MailAddress(address)?.deliverable else {
            throw .fieldsRefused([ValidationError(field: "to", rule: .notAMailAddress)])
        }
        try await rateLimiter(
            RateLimitKey(application: application.id, kind: "mail-tests", subject: ""), limit: Self.limit)
        let mail = try sealing.queued(
            .rendered(preview.rendered(kind, in: language, of: application, to: recipient)), of: kind,
            in: application.id, at: clock.now, life: Self.life)
        let entry = audit.draft(.testMailSent, by: who.actor, in: application.id, from: who.origin)
        try await store.write { transaction throws(DomainError) in
            try transaction.insert(mail)
            try entry.record(on: .application(application.id), details: ["kind": kind.rawValue], in: transaction)
        }
    }
}
