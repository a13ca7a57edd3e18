package import Domain

extension Session.ProtocolName {
    package static let kii = Session.ProtocolName(rawValue: "kii")
}

extension ProtocolKey {
    package static let appId = ProtocolKey(rawValue: "appId")
    package static let appKey = ProtocolKey(rawValue: "appKey")
    package static let clientId = ProtocolKey(rawValue: "clientId")
    package static let clientSecret = ProtocolKey(rawValue: "clientSecret")
}

extension ProtocolProfile {
    /// Kii Cloud: a session has no end, because a pseudo user's token is all that it has.
    package static let kii: ProtocolProfile = {
        var profile = ProtocolProfile(
            name: .kii, title: "Kii Cloud", token: .base64URL(byteCount: 32), sessions: SessionRules(), accounts: .kii,
            keys: [
                Key(.appId, .open, .hexadecimal(byteCount: 4)),
                Key(.appKey, .sealed, .hexadecimal(byteCount: 16)),
                Key(.clientId, .sealed, .hexadecimal(byteCount: 16)),
                Key(.clientSecret, .digested, .hexadecimal(byteCount: 32)),
            ],
            rules: [
                .isReadableByAll, .demandsVerifiedEmail, .demandsVerifiedPhone, .hasDashedIds, .refreshedTokenSeconds,
            ])
        profile.limits = ProfileLimits(fields: 150, fieldsBytes: 63 * 1024)
        return profile
    }()
}

extension AccountRules {
    /// Kii Cloud's formats (its section 11).
    static let kii = AccountRules(userNames: .plain(3...64), passwords: .printable(4...50))
}
