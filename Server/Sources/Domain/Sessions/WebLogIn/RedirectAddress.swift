import Foundation

/// Where the pages may send a person back to, as an operator registers it (RFC 8252 §7, requirement 29): an https address,
/// one of an app's own scheme in reverse domain form, or a loopback address, whose port is the app's to choose.
package struct RedirectAddress: Hashable, Sendable {
    package static let maximumCharacters = 500
    /// How many an application can have.
    package static let maximumCount = 20

    /// As registered.
    package let text: String
    /// The part before and after the port of a loopback address; `nil` for all others.
    private let loopback: Loopback?

    private struct Loopback: Hashable, Sendable {
        var host: String
        var rest: String
    }

    /// `nil` for anything that nobody shall be sent to.
    package init?(_ text: String) {
        guard (1...Self.maximumCharacters).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !#"<>"'\"#.utf8.contains($0) }),
            let parts = URLComponents(string: text), let scheme = parts.scheme, parts.fragment == nil,
            parts.user == nil, parts.password == nil, !text.utf8.contains(where: "#*".utf8.contains)
        else { return nil }
        self.text = text
        switch scheme {
        case "https":
            guard parts.host?.isEmpty == false, Self.authority(of: text) != nil else { return nil }
            loopback = nil
        case "http":
            guard let found = Self.loopback(text) else { return nil }
            loopback = found
        default:
            // A reverse domain has a dot, so that an app's scheme is hard to take by chance (RFC 8252 §7.1).
            guard scheme.utf8.contains(UInt8(ascii: ".")), scheme == scheme.lowercased() else { return nil }
            loopback = nil
        }
    }

    /// Whether a request's address is this one: character by character, but for the port of a loopback address.
    package func fits(_ asked: String) -> Bool {
        // Two texts are equal in Swift that mean the same: K and the sign for kelvin lead to two pages.
        guard asked.utf8.count <= Self.maximumCharacters + 6, asked.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        if asked == text { return true }
        guard let loopback else { return false }
        return Self.loopback(asked) == loopback
    }

    /// What a form on a page may lead to, as sources of the policy (CSP `form-action`). Chromium compares each address that a form is
    /// led on to, and what answers at this one leads on where its app lives: a web app to its pages, a program of this machine to a
    /// page that says that all is done. So the web as a whole is named, by its schemes. Hosts could not all be: a policy knows none
    /// of IPv6.
    package static func sources(of address: String) -> [String] {
        switch URLComponents(string: address)?.scheme {
        case nil: []
        case "https"?: ["https:"]
        case "http"?: ["http:", "https:"]
        case let scheme?: ["\(scheme):"]
        }
    }

    /// Host and port of an address of the web as they stand in it. `nil` for signs that no host has.
    private static func authority(of address: String) -> Substring? {
        guard let start = address.firstRange(of: "://") else { return nil }
        let authority = address[start.upperBound...].prefix { $0 != "/" && $0 != "?" }
        let isPlain = authority.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                || "-._:[]".utf8.contains(byte)
        }
        return isPlain && !authority.isEmpty ? authority : nil
    }

    /// Host and rest of `http://127.0.0.1:4711/back` or `http://[::1]/back`.
    private static func loopback(_ text: String) -> Loopback? {
        for host in ["127.0.0.1", "[::1]"] where text.hasPrefix("http://\(host)") {
            var rest = text.dropFirst(7 + host.count)
            if rest.first == ":" {
                let port = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
                guard let number = Int(port, radix: 10), (1...65_535).contains(number) else { return nil }
                rest = rest.dropFirst(1 + port.count)
            }
            guard rest.isEmpty || rest.first == "/" || rest.first == "?" else { return nil }
            return Loopback(host: host, rest: String(rest))
        }
        return nil
    }
}

extension ApplicationSettings {
    /// Whether people may be sent to an address.
    package func allowsRedirect(to address: String) -> Bool {
        redirectAddresses.contains { RedirectAddress($0)?.fits(address) == true }
    }
}
