package import Domain

extension Session.ProtocolName {
    package static let envelope = Session.ProtocolName(rawValue: "envelope")
}

extension ProtocolKey {
    package static let basePath = ProtocolKey(rawValue: "basePath")
}

extension ProtocolProfile {
    /// AuthService: a session that is used within 400 days has no end, because its apps never log in again.
    package static let envelope = ProtocolProfile(
        name: .envelope, title: "AuthService", token: .base64URL(byteCount: 32),
        sessions: SessionRules(idleLifetime: .days(400)), accounts: .envelope,
        keys: [
            // The reserved segments are those of other protocols and pages.
            Key(
                .basePath, .open,
                .path(reserved: [
                    "v1", "1", "api", "parse", "user", "health", "metrics", "2013-09-01", "dashboard",
                ]))
        ])
}

extension AccountRules {
    /// The apps check nothing and send what was typed.
    static let envelope = AccountRules(
        userNames: .anyText(maximumCharacters: 255), passwords: .anyText(minimumCharacters: 1), takesEmail: false)
}
