import Foundation
import HTTPTypes
import Hummingbird
import OkaeriVerifier

/// A request's context with who makes it.
struct BackendContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// What the verified token says; `nil` before the middleware.
    var claims: AccessTokenClaims?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
    }
}

/// Lets through who brings a token of the Okaeri server, with a proof where the token is bound to a key.
struct OkaeriMiddleware: RouterMiddleware {
    let verifier: RequestVerifier
    /// This backend's own address, as its clients know it.
    let publicURL: String

    func handle(
        _ request: Request, context: BackendContext, next: (Request, BackendContext) async throws -> Response
    ) async throws -> Response {
        let proofs = request.headers[values: .proof]
        guard proofs.count < 2, let url = URL(string: publicURL + request.uri.path) else {
            return refusal(.malformed)
        }
        var context = context
        do {
            context.claims = try await verifier.verify(
                authorization: request.headers[.authorization], proof: proofs.first, method: request.method.rawValue,
                url: url)
        } catch {
            return refusal(error)
        }
        return try await next(request, context)
    }

    /// 401 with the reason for developers (RFC 6750 §3, RFC 9449 §7.1), or 503 when nothing is known.
    private func refusal(_ error: VerificationError) -> Response {
        guard !error.isTemporary else { return Response(status: .serviceUnavailable) }
        let challenge = #"error="invalid_token", error_description="\#(error.rawValue)""#
        return Response(
            status: .unauthorized,
            headers: [.wwwAuthenticate: #"Bearer \#(challenge), DPoP algs="ES256", \#(challenge)"#])
    }
}

extension HTTPField.Name {
    /// The header of proofs (RFC 9449 §4.1).
    static let proof = Self("DPoP") ?? .authorization
}
