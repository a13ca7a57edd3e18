import Foundation

extension Application {
    /// Names what name and settings are now, so that nobody overwrites what another has changed meanwhile.
    package var version: String {
        var texts: [String] = [
            name, "\(settings.proofRequired)", "\(settings.sessionIdleLifetime)", "\(settings.sessionLifetime)",
            "\(settings.deletionGrace)", "\(String(describing: settings.anonymousIdleLimit))",
            "\(settings.passwordMinimumCharacters)", "\(settings.signUp)", settings.audiences.joined(separator: " "),
            settings.transferLink ?? "", settings.mail.senderName ?? "", settings.mail.verificationURL ?? "",
            settings.mail.resetURL ?? "", settings.redirectAddresses.joined(separator: " "),
        ]
        texts += settings.mergeRules.sorted { $0.key < $1.key }.map { "\($0) \($1)" }
        texts += settings.foreignSessions.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0) \($1)" }
        texts += settings.foreignOptions.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0) \($1)" }
        for (kind, languages) in settings.mail.templates.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            texts += languages.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\(kind) \($0) \($1)" }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // What was read from JSON can be written as JSON.
        if let theme = settings.theme, let bytes = try? encoder.encode(theme) {
            texts.append(String(decoding: bytes, as: UTF8.self))
        }
        return Base64URL.text(of: SecretDigest(of: texts.joined(separator: "\u{1f}").utf8).bytes)
    }
}
