import Domain

/// Mail settings as stored. Templates of a kind or language that an older program does not know are passed over.
struct StoredMailSettings: Codable {
    var senderName: String?
    var verificationURL: String?
    var resetURL: String?
    /// By kind and language.
    var templates: [String: [String: MailTemplate]]?

    /// `nil` when nothing was decided, so that most applications store nothing.
    init?(_ settings: MailSettings) {
        guard settings != MailSettings() else { return nil }
        senderName = settings.senderName
        verificationURL = settings.verificationURL
        resetURL = settings.resetURL
        templates = Dictionary(
            settings.templates.map { kind, languages in
                (kind.rawValue, Dictionary(languages.map { ($0.rawValue, $1) }, uniquingKeysWith: { $1 }))
            }, uniquingKeysWith: { $1 })
    }

    var settings: MailSettings {
        var known: [MailKind: [MailLanguage: MailTemplate]] = [:]
        for (kind, languages) in templates ?? [:] {
            guard let kind = MailKind(rawValue: kind) else { continue }
            for (language, template) in languages {
                guard let language = MailLanguage(rawValue: language) else { continue }
                known[kind, default: [:]][language] = template
            }
        }
        return MailSettings(
            senderName: senderName, verificationURL: verificationURL, resetURL: resetURL, templates: known)
    }
}
