import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

/// Tokens that are made from a session, and the keys that verify them.
struct TokensController: Sendable {
    let requests: NativeRequests
    let sessions: Sessions

    /// `POST /v1/token`: an access token for the app's own backends.
    func mint(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await requests.readJSON(TokenBody.self, of: request, context) ?? TokenBody()
        let isBound = body.isBound ?? false
        let token = try await sessions.mintAccessToken(for: caller, audience: body.audience, isBound: isBound)
        let answer = TokenResponse(
            accessToken: token.revealed, tokenType: isBound ? "DPoP" : "Bearer",
            expiresIn: MintAccessToken.lifetime.components.seconds)
        return try JSONResponse(body: answer).response()
    }

    /// `POST /v1/user/page`: an address that opens the own account on the pages, once.
    func openPages(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        let isProven = requests.isProven(request, context)
        guard let ticket = try sessions.issueOneTimeLogInToken(for: caller, isProven: isProven) else {
            throw RequestError.pathUnknown
        }
        return try JSONResponse(
            body: PageAddressResponse(url: ticket.url.revealed, expiresAt: ticket.expiresAt.wire), status: .created
        ).response()
    }

    /// `GET /.well-known/jwks.json`: the keys that verify access tokens (RFC 7517 §5).
    func keys(_ request: Request, _ context: ServerContext) async throws -> Response {
        let keys = try await sessions.signingKeys().map(\.publicKey)
        let bodies = keys.map { KeyBody(x: $0.x, y: $0.y, kid: $0.id) }
        // A new key waits for longer before it signs: its first token finds it everywhere.
        let seconds = SigningKeys.keeping.components.seconds
        // Scripts of any origin may read it, as the description of OpenID Connect that names it.
        return try JSONResponse(
            body: KeySetResponse(keys: bodies),
            headers: [.cacheControl: "public, max-age=\(seconds)", .accessControlAllowOrigin: "*"]
        ).response()
    }
}
