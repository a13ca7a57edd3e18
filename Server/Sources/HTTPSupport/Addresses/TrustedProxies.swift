package import Domain
import HTTPTypes
package import Hummingbird
import NIOCore

/// Who a request came from, and by which address. What proxies say is believed only of those that are listed
/// (requirement 44).
package struct TrustedProxies: Sendable {
    private let networks: [IPNetwork]
    private let hidesProxy: Bool

    /// - Parameters:
    ///   - networks: Where the listed proxies are.
    ///   - hidesProxy: Whether clients elsewhere are known to come by way of this machine although no proxy is listed.
    package init(_ networks: [IPNetwork], hidesProxy: Bool = false) {
        self.networks = networks
        self.hidesProxy = hidesProxy
    }

    /// Whether the connection comes from a listed proxy.
    package func isProxy(_ context: ServerContext) -> Bool {
        guard !networks.isEmpty, let peer = context.peer.flatMap({ IPAddress($0) }) else { return false }
        return trusts(peer)
    }

    /// The client's address: the last one in `X-Forwarded-For` that no listed proxy has, when the connection comes
    /// from a listed one; else the connection's.
    package func client(of request: Request, _ context: ServerContext) -> ClientAddress {
        guard let peer = context.peer.flatMap({ IPAddress($0) }) else { return .local }
        return ClientAddress(forwardedClient(of: request, from: peer) ?? peer)
    }

    /// Whether the client's address is one that a listed proxy wrote, and not just the other end of the connection.
    package func hasForwardedClient(_ request: Request, _ context: ServerContext) -> Bool {
        guard let peer = context.peer.flatMap({ IPAddress($0) }) else { return false }
        return forwardedClient(of: request, from: peer) != nil
    }

    private func forwardedClient(of request: Request, from peer: IPAddress) -> IPAddress? {
        guard !networks.isEmpty, trusts(peer), let hops = request.headers.forwardedHops else { return nil }
        var client: IPAddress?
        for hop in hops.reversed() {
            // What stands left of something unreadable was written by nobody we know.
            guard let address = IPAddress(hop) else { break }
            client = address
            guard trusts(address) else { break }
        }
        return client
    }

    /// The address of the client, for a privilege that depends on it; `nil` when nobody who is believed tells it.
    ///
    /// The other end of a connection is the client only while no proxy is between. One that is not listed shows itself
    /// by its headers, by the settings, or on this machine by a host that is another one: what merely passes
    /// connections on writes no headers, and leaves the host as its client named it. A client can name any; only the
    /// settings know for certain. Of a listed one, what it says of the client counts. What it calls loopback is this
    /// machine only when the proxy is on this machine, and had it from nobody else.
    package func attestedClient(of request: Request, _ context: ServerContext) -> IPAddress? {
        guard let peer = context.peer.flatMap({ IPAddress($0) }), !(hidesProxy && peer.isLoopback) else { return nil }
        guard trusts(peer), let hops = request.headers.forwardedHops else {
            let isPassedOn =
                Self.passedProxy(request.headers)
                || peer.isLoopback && !trusts(peer) && !Authority.isThisMachine(request.authority)
            return isPassedOn ? nil : peer
        }
        var left = hops[...]
        while let hop = left.popLast() {
            guard let address = IPAddress(hop) else { return nil }
            guard !trusts(address) || left.isEmpty else { continue }
            return address.isLoopback && !(peer.isLoopback && left.isEmpty) ? nil : address
        }
        return nil
    }

    /// Whether headers show that somebody passed the request on.
    private static func passedProxy(_ headers: HTTPFields) -> Bool {
        headers.contains { proxyHeaders.contains($0.name) }
    }

    /// What proxies, load balancers and content networks write (RFC 7239, RFC 9110 §7.6.3, and names in use).
    private static let proxyHeaders: Set<HTTPField.Name> = Set(
        [
            "Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port",
            "X-Forwarded-Server", "X-Forwarded-By", "X-Forwarded", "Forwarded-For", "X-Real-IP", "X-Client-IP",
            "X-Cluster-Client-IP", "X-Original-Forwarded-For", "X-Original-Host", "X-ProxyUser-Ip",
            "X-Envoy-External-Address", "True-Client-IP", "CF-Connecting-IP", "Fastly-Client-IP", "Fly-Client-IP",
            "X-Azure-ClientIP", "X-Appengine-User-Ip", "CDN-Loop",
        ].compactMap { HTTPField.Name($0) })

    private func trusts(_ address: IPAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }
}

extension HTTPFields {
    /// What stands in `X-Forwarded-For`; `nil` when it was not sent.
    fileprivate var forwardedHops: [Substring]? { contains(.forwardedFor) ? hops(.forwardedFor) : nil }
}

extension ClientAddress {
    /// A client without a network address: a local socket.
    package static let local = ClientAddress(text: "local", allowanceGroup: "local")
}
