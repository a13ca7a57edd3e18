package import Domain

extension Session.ProtocolName {
    package static let parse = Session.ProtocolName(rawValue: "parse")
}

extension ProtocolKey {
    package static let applicationId = ProtocolKey(rawValue: "applicationId")
    package static let restKey = ProtocolKey(rawValue: "restKey")
    package static let javascriptKey = ProtocolKey(rawValue: "javascriptKey")
    package static let dotNetKey = ProtocolKey(rawValue: "dotNetKey")
    package static let masterKey = ProtocolKey(rawValue: "masterKey")
}

extension ProtocolProfile {
    /// Parse: a session lives for a year. Any text is a user name or a password, unless the application asks for good
    /// passwords.
    package static let parse = ProtocolProfile(
        name: .parse, title: "Parse", token: .hexadecimal(prefix: "r:", byteCount: 16),
        sessions: SessionRules(lifetime: .days(365)),
        accounts: AccountRules(
            userNames: .anyText(maximumCharacters: 255), passwords: .anyText(minimumCharacters: 1)),
        strictAccounts: AccountRules(userNames: .anyText(maximumCharacters: 255), passwords: .strong),
        keys: [
            Key(.applicationId, .open, .letters(count: 40)),
            // An app that has one client key configured takes no other.
            Key(.restKey, .sealed, .letters(count: 40), isNeeded: false),
            Key(.javascriptKey, .sealed, .letters(count: 40), isNeeded: false),
            Key(.clientKey, .sealed, .hexadecimal(byteCount: 32), isNeeded: false),
            // The SDKs of .NET and Unity alone send it.
            Key(.dotNetKey, .sealed, .letters(count: 40), isNeeded: false, isMade: false),
            Key(.masterKey, .digested, .letters(count: 40)),
        ],
        rules: [
            .allowsAnonymous, .isReadableByAll, .needsVerifiedEmail, .hasPasswordPolicy, .ignoresCase,
            .administratorNetworks, .verifiesEmails, .upstream,
        ])
}
