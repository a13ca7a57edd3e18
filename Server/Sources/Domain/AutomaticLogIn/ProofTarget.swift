/// An address without query and fragment, in the form that two spellings of the same place share (RFC 9449 §4.3, 9;
/// RFC 3986 §6.2.2, §6.2.3).
package struct ProofTarget: Hashable, Sendable {
    /// `http` or `https`.
    package let scheme: String
    /// The host in lower case, with a port unless it is the scheme's own.
    package let authority: String
    /// The path as sent; `/` when empty.
    package let path: String

    package init(scheme: some StringProtocol, authority: some StringProtocol, path: some StringProtocol) {
        self.scheme = scheme.lowercased()
        let authority = authority.lowercased()
        let defaultPort = self.scheme == "https" ? ":443" : ":80"
        self.authority = authority.hasSuffix(defaultPort) ? String(authority.dropLast(defaultPort.count)) : authority
        self.path = path.isEmpty ? "/" : String(path)
    }

    /// Takes an absolute http or https address apart; `nil` for anything else, and for one with user information.
    package init?(_ text: String) {
        guard let colon = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<colon.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        let rest = text[colon.upperBound...].prefix { $0 != "?" && $0 != "#" }
        let authority = rest.prefix { $0 != "/" }
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        self.init(scheme: scheme, authority: authority, path: rest[authority.endIndex...])
    }
}
