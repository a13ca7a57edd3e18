package import Domain
import HTTPTypes
import Hummingbird

/// A protocol that only some networks reach (requirement 41). To everyone else its paths do not exist, so that nobody learns from
/// outside that there is something to try passwords and keys at.
///
/// Whose address no believed party tells, as behind a proxy that is not listed, is outside.
package struct ConfinedAdapter: WrappingAdapter {
    package let adapter: any ProtocolAdapter
    private let networks: [IPNetwork]
    private let proxies: TrustedProxies

    /// - Parameters:
    ///   - adapter: The protocol.
    ///   - networks: Where its clients are.
    ///   - proxies: Who is believed about a client's address.
    package init(_ adapter: any ProtocolAdapter, to networks: [IPNetwork], proxies: TrustedProxies) {
        self.adapter = adapter
        self.networks = networks
        self.proxies = proxies
    }

    package var routes: [Route] { adapter.routes }

    package var visibility: PathVisibility? {
        { [networks, proxies] request, context in
            guard let client = proxies.attestedClient(of: request, context) else { return false }
            return networks.contains { $0.contains(client) }
        }
    }
}
