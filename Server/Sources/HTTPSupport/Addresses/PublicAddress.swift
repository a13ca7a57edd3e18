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

    /// `nil` when the text is no http or https address.
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
        guard let target = ProofTarget(text), !text.contains("?"), !text.contains("#") else { return nil }
        let path = target.path.hasSuffix("/") ? String(target.path.dropLast()) : target.path
        configured = Base(scheme: target.scheme, authority: target.authority, path: path)
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
            scheme = Self.last(request.headers.value(of: .forwardedProto)) ?? scheme
        }
        return ProofTarget(scheme: scheme, authority: authority(of: request, context), path: path)
    }

    /// The host that a client asked, without a port, whatever address is configured.
    func host(of request: Request, _ context: ServerContext) -> String {
        String(authority(of: request, context).prefix { $0 != ":" })
    }

    private func authority(of request: Request, _ context: ServerContext) -> String {
        let forwarded = proxies.isProxy(context) ? Self.last(request.headers.value(of: .forwardedHost)) : nil
        return forwarded ?? request.authority
    }

    private static func last(_ values: String?) -> String? {
        guard let value = values?.split(separator: ",").last else { return nil }
        let trimmed = value.drop { $0 == " " }.prefix { $0 != " " }
        return trimmed.isEmpty ? nil : String(trimmed)
    }
}
