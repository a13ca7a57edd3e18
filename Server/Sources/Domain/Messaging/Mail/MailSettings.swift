/// What an operator can decide about an application's mails.
package struct MailSettings: Hashable, Sendable {
    /// The name that mails come from; the application's name without it.
    package var senderName: String?
    /// Where a page of the app takes a verification's token; without it the mail has a code to type.
    package var verificationURL: String?
    /// Where a page of the app takes the token of a password reset or a registration; without it the mail has the token as
    /// text.
    package var resetURL: String?
    /// Own words in the place of the built-in ones.
    package var templates: [MailKind: [MailLanguage: MailTemplate]]

    package init(
        senderName: String? = nil, verificationURL: String? = nil, resetURL: String? = nil,
        templates: [MailKind: [MailLanguage: MailTemplate]] = [:]
    ) {
        self.senderName = senderName
        self.verificationURL = verificationURL
        self.resetURL = resetURL
        self.templates = templates
    }

    /// The address of a page for a token of a kind of mail, when there is one.
    ///
    /// - Parameters:
    ///   - kind: What the mail is for.
    ///   - token: The token.
    ///   - pages: Where this server's own pages are, which the application's own come before.
    /// - Returns: `nil` when neither has one.
    package func link(for kind: MailKind, token: String, pages: String? = nil) -> String? {
        let base: String? =
            switch kind {
            case .emailVerification: verificationPage ?? pages.map { "\($0)/verify" }
            case .passwordReset: resetPage ?? pages.map { "\($0)/reset" }
            case .registration: resetPage ?? pages.map { "\($0)/register" }
            case .emailRecovery: pages.map { "\($0)/recover" }
            // Text messages have a link only where one is asked for.
            case .textedReset: pages.map { "\($0)/reset" }
            default: nil
            }
        // Tokens are letters, digits and hyphens, which need no escape.
        return base.map { "\($0)\($0.utf8.contains(UInt8(ascii: "?")) ? "&" : "?")token=\(token)" }
    }
}

extension MailSettings {
    package static let maximumLinkCharacters = 500
    /// The most bytes of all own words together: requests have them in memory, and each change of a setting reads and writes them while
    /// all other changes wait (decision 0248).
    package static let maximumWordsBytes = 1_048_576

    private var wordsBytes: Int {
        templates.values.reduce(0) { sum, languages in languages.values.reduce(sum) { $0 + $1.bytes } }
    }

    /// The application's own pages. A link of before that a newer rule refuses leads nobody anywhere.
    private var verificationPage: String? { verificationURL.flatMap { AppLink.isOne($0) ? $0 : nil } }
    var resetPage: String? { resetURL.flatMap { AppLink.isOne($0) ? $0 : nil } }

    /// Links of before that a newer rule refuses.
    var refusedLinks: [ValidationError] {
        [
            verificationPage == verificationURL ? nil : ValidationError(field: "mail.verificationURL", rule: .notALink),
            resetPage == resetURL ? nil : ValidationError(field: "mail.resetURL", rule: .notALink),
        ].compactMap(\.self)
    }

    /// What breaks a rule, but for what another setting had already: that was judged when it came.
    package func faults(since before: MailSettings = MailSettings()) -> [ValidationError] {
        namedFaults(since: before) + words(since: before).flatMap(\.faults)
    }

    /// What breaks a rule beside each of the own words.
    fileprivate func namedFaults(since before: MailSettings) -> [ValidationError] {
        var faults =
            senderName == before.senderName
            ? [] : TextRule(maximumCharacters: 100).faults(of: senderName, field: "mail.senderName")
        let links = [
            ("mail.verificationURL", verificationURL, before.verificationURL),
            ("mail.resetURL", resetURL, before.resetURL),
        ]
        for (field, link, old) in links {
            guard let link, link != old else { continue }
            faults += TextRule(maximumCharacters: Self.maximumLinkCharacters).faults(of: link, field: field)
            if !AppLink.isOne(link) { faults.append(ValidationError(field: field, rule: .notALink)) }
        }
        let bytes = wordsBytes
        if bytes > Self.maximumWordsBytes, bytes > before.wordsBytes {
            faults.append(
                ValidationError(field: "mail.templates", rule: .tooManyBytes(maximum: Self.maximumWordsBytes)))
        }
        return faults
    }

    /// Own words of which another setting had not the same.
    fileprivate func words(since before: MailSettings) -> [OwnWords] {
        templates.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { kind, languages in
            languages.sorted { $0.key.rawValue < $1.key.rawValue }
                .filter { $0.value != before.templates[kind]?[$0.key] }
                .map { OwnWords(kind: kind, language: $0.key, template: $0.value) }
        }
    }
}

/// An application's own words for a kind of mail in a language.
private struct OwnWords: Hashable, Sendable {
    let kind: MailKind
    let language: MailLanguage
    let template: MailTemplate

    var field: String { "mail.templates.\(kind.rawValue).\(language.rawValue)" }
    var faults: [ValidationError] { template.faults(for: kind, field: field) }
    /// The same, and where secrets stand that may not stand there. Words that are too long are not looked through.
    var allFaults: [ValidationError] {
        guard template.excess(for: kind, field: field).isEmpty else { return faults }
        return faults
            + template.partsThatGiveSecretsAway().map {
                ValidationError(field: "\(field).\($0)", rule: .secretInAddress)
            }
    }
}

/// Changes what an application has decided about its mails.
package struct ChangeMailSettings: Sendable {
    let findApplication: FindApplication
    let editApplication: EditApplication

    /// - Parameters:
    ///   - id: The application.
    ///   - isCurrent: Whether the application is still as the caller has seen it; may be asked twice.
    ///   - who: Who does it.
    ///   - change: Makes the change; runs twice or more.
    /// - Returns: the application afterwards.
    /// - Throws: `applicationUnknown`, `administration(changedMeanwhile)`, `fieldsRefused`, `storageUnavailable`.
    @discardableResult
    package func callAsFunction(
        of id: Identifier<Application>,
        isCurrent: @escaping @Sendable (Application) -> Bool = { _ in true }, by who: Operator,
        _ change: @escaping @Sendable (inout MailSettings) -> Void
    ) async throws(DomainError) -> Application {
        // All changes wait for the transaction, and words can be long: what comes with this change is judged before it.
        let known = try await findApplication(id).settings.mail
        var asked = known
        change(&asked)
        let judged = Dictionary(
            asked.words(since: known).map { ($0, $0.allFaults) }, uniquingKeysWith: { first, _ in first })
        return try await editApplication(id, .mailSettingsChanged, isCurrent: isCurrent, by: who) {
            application throws(DomainError) in
            let before = application.settings.mail
            change(&application.settings.mail)
            let mail = application.settings.mail
            // Another change may have come between: what is new then is judged here.
            let faults =
                mail.namedFaults(since: before)
                + mail.words(since: before).flatMap { judged[$0] ?? $0.allFaults }
            guard faults.isEmpty else { throw .fieldsRefused(faults) }
            return [:]
        }
    }
}
