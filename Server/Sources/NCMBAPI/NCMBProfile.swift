package import Domain

extension Session.ProtocolName {
    package static let ncmb = Session.ProtocolName(rawValue: "ncmb")
}

extension ProtocolKey {
    package static let applicationKey = ProtocolKey(rawValue: "applicationKey")
}

extension ProtocolProfile {
    /// NCMB: a session ends after 24 hours of disuse, and a member has one.
    package static let ncmb = ProtocolProfile(
        name: .ncmb, title: "NCMB", token: .letters(count: 25),
        sessions: SessionRules(idleLifetime: .days(1), maximumPerUser: 1), accounts: .ncmb,
        keys: [
            Key(.applicationKey, .open, .hexadecimal(byteCount: 32)),
            // Requests are signed with it: without one no app can call.
            Key(.clientKey, .sealed, .hexadecimal(byteCount: 32)),
        ],
        rules: [
            .allowsAnonymous, .isReadableByAll, .takesPasswordsInAddresses, .timestampWindowSeconds, .hosts,
            .logInMovesUpdateTime, .allowsSignUpByMail,
        ])
}

extension AccountRules {
    /// Nobody knows which limits NCMB had; apps use device ids for both.
    static let ncmb = AccountRules(
        userNames: .anyText(maximumCharacters: 255), passwords: .anyText(minimumCharacters: 1))

    /// The same with the application's limit for names.
    static func ncmb(in application: Domain.Application) -> AccountRules {
        AccountRules(
            userNames: .anyText(maximumCharacters: application.settings.fieldRules.limits.userNameCharacters),
            passwords: ncmb.passwords)
    }
}
