package import Domain

extension Session.ProtocolName {
    package static let single = Session.ProtocolName(rawValue: "single")
    package static let yearly = Session.ProtocolName(rawValue: "yearly")
    package static let endless = Session.ProtocolName(rawValue: "endless")
}

extension ProtocolKey {
    package static let open = ProtocolKey(rawValue: "open")
    package static let sealed = ProtocolKey(rawValue: "sealed")
    package static let digested = ProtocolKey(rawValue: "digested")
}

extension ProtocolRegistry {
    /// Three foreign protocols that nobody speaks: with one session a day, with sessions of a year, and with sessions
    /// without end.
    package static let samples = ProtocolRegistry(foreign: [
        ProtocolProfile(
            name: .single, title: "Single", token: .letters(count: 25),
            sessions: SessionRules(idleLifetime: .days(1), maximumPerUser: 1), accounts: .samples,
            keys: [
                .init(.open, .open, .hexadecimal(byteCount: 32)), .init(.clientKey, .sealed, .letters(count: 20)),
            ],
            rules: [.allowsAnonymous, .hosts]),
        ProtocolProfile(
            name: .yearly, title: "Yearly", token: .hexadecimal(prefix: "y:", byteCount: 16),
            sessions: SessionRules(lifetime: .days(365)), accounts: .samples,
            keys: [
                .init(.open, .open, .letters(count: 40)), .init(.sealed, .sealed, .letters(count: 40), isNeeded: false),
                .init(.digested, .digested, .letters(count: 40)),
            ],
            rules: [.ignoresCase, .administratorNetworks]),
        ProtocolProfile(
            name: .endless, title: "Endless", token: .base64URL(byteCount: 32), sessions: SessionRules(),
            accounts: .samples, keys: [.init(.open, .open, .path(reserved: ["v1"]))]),
    ])
}

extension AccountRules {
    package static let samples = AccountRules(
        userNames: .anyText(maximumCharacters: 255), passwords: .anyText(minimumCharacters: 1))
}
