/// An address without query and fragment, in the form that two spellings of the same address share (RFC 9449 §4.3, 9;
/// RFC 3986 §6.2.2, §6.2.3).
package struct ProofTarget: Hashable, Sendable {
    /// `http` or `https`.
    package let scheme: String
    /// The host in lower case, with a port unless it is the scheme's own.
    package let authority: String
    /// The path as sent; `/` when empty.
    package let path: String

    package init(scheme: String, authority: String, path: String) {
        self.scheme = Self.lowercased(scheme)
        let authority = Self.lowercased(authority)
        let defaultPort = self.scheme == "https" ? ":443" : ":80"
        self.authority = authority.hasSuffix(defaultPort) ? String(authority.dropLast(defaultPort.count)) : authority
        self.path = path.isEmpty ? "/" : path
    }

    /// Takes an absolute http or https address apart; `nil` for anything else, and for one with user information.
    package init?(_ text: String) {
        guard let colon = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<colon.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        let rest = text[colon.upperBound...].prefix { $0 != "?" && $0 != "#" }
        let authority = rest.before("/")
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        self.init(scheme: scheme, authority: String(authority), path: String(rest[authority.endIndex...]))
    }

    /// Whether a text names this address, in any spelling.
    package func isNamed(by text: String) -> Bool {
        isSpelled(text) || ProofTarget(text) == self
    }

    /// Whether a text is this address as it stands here: so nearly every client spells it, and nothing need be parsed.
    private func isSpelled(_ text: String) -> Bool {
        let counts = (scheme: scheme.utf8.count, authority: authority.utf8.count, path: path.utf8.count)
        var rest = text.utf8[...]
        guard rest.count == counts.scheme + 3 + counts.authority + counts.path,
            rest.prefix(counts.scheme).elementsEqual(scheme.utf8)
        else { return false }
        rest = rest.dropFirst(counts.scheme)
        guard rest.starts(with: "://".utf8) else { return false }
        rest = rest.dropFirst(3)
        guard rest.prefix(counts.authority).elementsEqual(authority.utf8) else { return false }
        rest = rest.dropFirst(counts.authority)
        // A path that is asked for holds neither of these; a text with them has more than a path.
        return rest.elementsEqual(path.utf8) && !rest.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    }

    /// Most are in lower case already, which costs a look at the bytes.
    private static func lowercased(_ text: String) -> String {
        text.utf8.allSatisfy { $0 < 0x80 && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            ? text : text.lowercased()
    }
}
