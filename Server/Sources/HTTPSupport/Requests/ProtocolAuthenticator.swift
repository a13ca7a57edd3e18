package import Domain
import HTTPTypes
package import Hummingbird

/// Finds out for which application and by whom a request of a foreign protocol is made. What is known already is found
/// without waiting, as by `RequestAuthenticator`.
package struct ProtocolAuthenticator: Sendable {
    private let findProtocol: FindProtocol
    private let authenticate: Authenticate
    private let proxies: TrustedProxies
    private let publicAddress: PublicAddress

    package init(
        findProtocol: FindProtocol, authenticate: Authenticate, proxies: TrustedProxies, publicAddress: PublicAddress
    ) {
        self.findProtocol = findProtocol
        self.authenticate = authenticate
        self.proxies = proxies
        self.publicAddress = publicAddress
    }

    /// The application that a public key names; one that has not switched the protocol on is unknown.
    ///
    /// - Throws: `applicationUnknown`, `busy`, `secretUnreadable`, `storageUnavailable`.
    package func enabled(
        _ name: Session.ProtocolName, publicKey: String?, _ context: ServerContext
    ) async throws(DomainError) -> EnabledProtocol {
        guard let publicKey else { throw .applicationUnknown }
        let found: EnabledProtocol
        if let known = findProtocol.atOnce(name, publicKey: publicKey) {
            found = known
        } else {
            found = try await findProtocol(name, publicKey: publicKey)
        }
        try context.note(found.application)
        return found
    }

    /// The session that a token of the protocol names.
    ///
    /// - Throws: `sessionRequired` without a token, `sessionInvalid`, `userDisabled`, `storageUnavailable`.
    package func session(
        of enabled: EnabledProtocol, token: Substring?, _ request: Request, _ context: ServerContext
    ) async throws(DomainError) -> Authenticated {
        let asked = Authenticate.Request(
            application: enabled.application, token: token, proof: nil, protocolName: enabled.name)
        if let found = try authenticate.atOnce(asked, from: { proxies.client(of: request, context) }) { return found }
        return try await authenticate(asked, from: { proxies.client(of: request, context) })
    }

    /// The address that a request came from, with the limits of apps of old protocols.
    package func client(of request: Request, _ context: ServerContext) -> ClientAddress {
        var client = proxies.client(of: request, context)
        client.isOldApp = true
        return client
    }

    /// Whether that address is one that a listed proxy wrote.
    package func hasForwardedClient(_ request: Request, _ context: ServerContext) -> Bool {
        proxies.hasForwardedClient(request, context)
    }

    /// The address that a request came from, for a privilege that depends on it; `nil` when nobody who is believed tells it.
    package func attestedClient(of request: Request, _ context: ServerContext) -> IPAddress? {
        proxies.attestedClient(of: request, context)
    }

    /// Where a request came from, for the audit log.
    package func origin(of request: Request, _ context: ServerContext) -> RequestOrigin {
        RequestOrigin(
            address: client(of: request, context).text, userAgent: request.headers.value(of: .userAgent),
            requestId: context.requestId)
    }

    /// The address by which the client knows this server, with the request's path.
    package func target(of request: Request, _ context: ServerContext) -> ProofTarget {
        publicAddress.target(of: request, context)
    }
}
