package import Domain
import HTTPTypes
package import Hummingbird

/// Who a request came from, and by which address. What proxies say is believed only of those that are listed
/// (requirement 44).
package struct TrustedProxies: Sendable {
    private let networks: [IPNetwork]

    package init(_ networks: [IPNetwork]) {
        self.networks = networks
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
        guard !networks.isEmpty, trusts(peer), let hops = request.headers.value(of: .forwardedFor) else {
            return ClientAddress(peer)
        }
        var client = peer
        for hop in hops.split(separator: ",").reversed() {
            // What stands left of something unreadable was written by nobody we know.
            guard let address = IPAddress(hop) else { break }
            client = address
            guard trusts(address) else { break }
        }
        return ClientAddress(client)
    }

    private func trusts(_ address: IPAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }
}

extension ClientAddress {
    /// A client without a network address: a local socket.
    package static let local = ClientAddress(text: "local", allowanceGroup: "local")

    package init(_ address: IPAddress) {
        self.init(text: address.text, allowanceGroup: address.allowanceGroup)
    }
}
