/// Tokens of callers that are no users: administrators, and apps before anybody has logged in. They need no record; other
/// keys of the application end them.
package struct ProtocolTokens: Sendable {
    /// How long one counts. The client asks for a new one with its keys.
    package static let lifetime: Duration = .days(1)

    let clock: any WallClock

    package enum Caller: String, CaseIterable, Hashable, Sendable {
        case administrator = "adm"
        case anonymous = "anon"
    }

    /// A token, as `adm_<end>_<code>`.
    package func issue(_ caller: Caller, for enabled: EnabledProtocol) -> Secret {
        let end = String((clock.now + Self.lifetime).milliseconds)
        return Secret("\(caller.rawValue)_\(end)_\(Self.code(caller, end, enabled))")
    }

    /// Whose token it is; `nil` when it is none of these, or over.
    package func caller(of token: some StringProtocol, for enabled: EnabledProtocol) -> Caller? {
        guard let named = String(token).cut(at: "_"), let dated = named.after.cut(at: "_"),
            let caller = Caller(rawValue: String(named.before)), let end = Int64(dated.before, radix: 10),
            clock.now < Timestamp(milliseconds: end),
            Secret(String(dated.after)) == Secret(Self.code(caller, String(dated.before), enabled))
        else { return nil }
        return caller
    }

    private static func code(_ caller: Caller, _ end: String, _ enabled: EnabledProtocol) -> String {
        Base64URL.text(of: enabled.code(of: caller.rawValue, end).bytes)
    }
}
