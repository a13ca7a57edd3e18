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

    package var routes: [Route] {
        adapter.routes.map { [networks, proxies] route in
            Route(route.method, route.path, route.caller, isForStandby: route.isForStandby) { request, context in
                guard let client = proxies.attestedClient(of: request, context),
                    networks.contains(where: { $0.contains(client) })
                else { throw RequestError.pathUnknown }
                return try await route.handler(request, context)
            }
        }
    }
}
