package import Domain
import HTTPTypes
package import Hummingbird

/// Finds out for which application and by whom a request is made.
package struct RequestAuthenticator: Sendable {
    private let findApplication: FindApplication
    private let authenticate: Authenticate
    private let proxies: TrustedProxies
    private let publicAddress: PublicAddress

    package init(
        findApplication: FindApplication, authenticate: Authenticate, proxies: TrustedProxies,
        publicAddress: PublicAddress
    ) {
        self.findApplication = findApplication
        self.authenticate = authenticate
        self.proxies = proxies
        self.publicAddress = publicAddress
    }

    /// Longer ids are nobody's, and are not looked up.
    private static let maximumIdBytes = 128

    /// The application that a header names.
    ///
    /// - Throws: `DomainError.applicationUnknown` when it is missing too, `busy`, `storageUnavailable`.
    package func application(
        of request: Request, _ context: ServerContext, header: HTTPField.Name
    ) async throws(DomainError) -> Domain.Application {
        let id = try applicationId(of: request, header: header)
        let found: Domain.Application
        if let known = findApplication.atOnce(id) { found = known } else { found = try await findApplication(id) }
        try context.note(found)
        return found
    }

    /// The session that the header `Authorization` names, by the schemes `Bearer` (RFC 6750) and `DPoP` (RFC 9449).
    ///
    /// On the hot path, where application and session are known, nothing is waited for.
    ///
    /// - Throws: what `application(of:_:header:)` and `Authenticate` throw.
    package func session(
        of request: Request, _ context: ServerContext, applicationHeader header: HTTPField.Name
    ) async throws(DomainError) -> Authenticated {
        if let known = findApplication.atOnce(try applicationId(of: request, header: header)),
            let found = try authenticate.atOnce(
                try credentials(of: request, context, for: known), from: { proxies.client(of: request, context) })
        {
            try context.note(known)
            return found
        }
        let application = try await application(of: request, context, header: header)
        return try await authenticate(
            try credentials(of: request, context, for: application), from: { proxies.client(of: request, context) })
    }

    /// What a request shows of its session, unchecked: for one whose token may have been replaced.
    ///
    /// - Throws: what `application(of:_:header:)` throws, `DomainError.proofRequired`.
    package func credentials(
        of request: Request, _ context: ServerContext, applicationHeader header: HTTPField.Name
    ) async throws(DomainError) -> Authenticate.Request {
        try credentials(of: request, context, for: try await application(of: request, context, header: header))
    }

    private func applicationId(
        of request: Request, header: HTTPField.Name
    ) throws(DomainError) -> Identifier<Domain.Application> {
        guard let id = request.headers.value(of: header), id.utf8.count <= Self.maximumIdBytes else {
            throw .applicationUnknown
        }
        return Identifier(rawValue: id)
    }

    private func credentials(
        of request: Request, _ context: ServerContext, for application: Domain.Application
    ) throws(DomainError) -> Authenticate.Request {
        let proof = presentedProof(of: request, context)
        var token: Substring?
        if let sent = request.headers.value(of: .authorization) {
            let authorization = Authorization(sent)
            token = authorization?.token
            if authorization?.scheme == .proof, proof == nil { throw .proofRequired }
        }
        return Authenticate.Request(application: application, token: token, proof: proof, protocolName: .native)
    }

    /// The proof that came with a request.
    package func presentedProof(of request: Request, _ context: ServerContext) -> PresentedProof? {
        // Two headers come joined by a comma, which no proof holds.
        guard let text = request.headers.value(of: .proof) else { return nil }
        return PresentedProof(
            text: text, method: request.method.rawValue, target: publicAddress.target(of: request, context))
    }

    /// The host that a client asked, without a port. Nothing is known of it.
    package func host(of request: Request, _ context: ServerContext) -> String {
        publicAddress.host(of: request, context)
    }

    /// The address that a request came from.
    package func client(of request: Request, _ context: ServerContext) -> ClientAddress {
        proxies.client(of: request, context)
    }

    /// The same for a privilege that depends on it; `nil` when nobody who is believed tells it.
    package func attestedClient(of request: Request, _ context: ServerContext) -> IPAddress? {
        proxies.attestedClient(of: request, context)
    }
}

extension HTTPField.Name {
    /// The DPoP proof (RFC 9449 §4).
    package static let proof = HTTPField.Name(known: "DPoP")
}
