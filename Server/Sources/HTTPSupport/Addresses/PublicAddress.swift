package import Domain
import HTTPTypes
package import Hummingbird

/// The address by which clients know this server: what a proof's `htu` must name (RFC 9449 §4.3, check 9).
package struct PublicAddress: Sendable {
    /// The configured address; then no other is accepted. Without a slash at the end.
    private let configured: Base?
    private let proxies: TrustedProxies

    private struct Base: Sendable {
        var scheme: String
        var authority: String
        var path: String
    }

    /// `nil` when the text is no http or https address as browsers write one.
    ///
    /// - Parameters:
    ///   - text: `https://id.example.com`, or with a path when a proxy cuts it off. `nil`: each request's own `Host`.
    ///   - proxies: Whose `X-Forwarded-Proto` and `X-Forwarded-Host` are believed.
    package init?(_ text: String?, proxies: TrustedProxies) {
        self.proxies = proxies
        guard let text else {
            configured = nil
            return
        }
        guard let target = ProofTarget(text), !text.contains("?"), !text.contains("#"),
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !#"<>"'\"#.utf8.contains($0) }),
            Self.isPlain(target.authority)
        else { return nil }
        let path = target.path.hasSuffix("/") ? String(target.path.dropLast()) : target.path
        configured = Base(scheme: target.scheme, authority: target.authority, path: path)
    }

    /// Whether browsers write a host and port in the same way: forms from another origin are refused. They write a host of
    /// other letters in its form with `xn--`.
    private static func isPlain(_ authority: String) -> Bool {
        let isLiteral = authority.hasPrefix("[")
        let end = authority.firstIndex(of: isLiteral ? "]" : ":") ?? authority.endIndex
        let host = authority[..<end]
        var rest = authority[end...]
        if isLiteral {
            guard rest.popFirst() == "]", IPAddress(exactly: String(host.dropFirst())) != nil else { return false }
        } else {
            let isName = host.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte) || "-._".utf8.contains(byte)
            }
            guard isName, !host.isEmpty else { return false }
        }
        guard let colon = rest.popFirst() else { return true }
        return colon == ":" && rest.utf8.allSatisfy { (0x30...0x39).contains($0) } && (UInt16(rest, radix: 10) ?? 0) > 0
    }

    /// Whether one address is configured, so that no other is accepted.
    package var isConfigured: Bool { configured != nil }

    /// The address of a request as its client knows it.
    package func target(of request: Request, _ context: ServerContext) -> ProofTarget {
        let path = request.uri.path
        if let configured {
            return ProofTarget(
                scheme: configured.scheme, authority: configured.authority, path: configured.path + path)
        }
        var scheme = "http"
        if proxies.isProxy(context) {
            // The last value is the one that the listed proxy wrote.
            scheme = request.headers.lastHop(.forwardedProto) ?? scheme
        }
        return ProofTarget(scheme: scheme, authority: authority(of: request, context), path: path)
    }

    /// The host that a client asked, without a port, whatever address is configured.
    func host(of request: Request, _ context: ServerContext) -> String {
        String(authority(of: request, context).before(":"))
    }

    private func authority(of request: Request, _ context: ServerContext) -> String {
        (proxies.isProxy(context) ? request.headers.lastHop(.forwardedHost) : nil) ?? request.authority
    }
}
