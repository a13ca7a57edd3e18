import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

/// Tokens that are made from a session, and the keys that verify them.
final class TokensController: Sendable {
    private let requests: NativeRequests
    private let mintAccessToken: MintAccessToken
    private let issueOneTimeLogInToken: IssueOneTimeLogInToken
    private let signingKeys: SigningKeys

    init(_ requests: NativeRequests, _ modules: Modules) {
        self.requests = requests
        mintAccessToken = modules.sessions.mintAccessToken
        issueOneTimeLogInToken = modules.sessions.issueOneTimeLogInToken
        signingKeys = modules.sessions.signingKeys
    }

    /// `POST /v1/token`: an access token for the app's own backends.
    func mint(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await requests.readJSON(TokenBody.self, of: request, context) ?? TokenBody()
        let token = try await mintAccessToken(for: caller, audience: body.audience)
        let answer = TokenResponse(
            accessToken: token.revealed, expiresIn: MintAccessToken.lifetime.components.seconds)
        return try JSONResponse(body: answer).response()
    }

    /// `POST /v1/user/page`: an address that opens the own account on the pages, once.
    func openPages(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        guard let ticket = try issueOneTimeLogInToken(for: caller) else { throw RequestError.pathUnknown }
        return try JSONResponse(
            body: PageAddressAnswer(url: ticket.url.revealed, expiresAt: ticket.expiresAt.wire), status: .created
        ).response()
    }

    /// `GET /.well-known/jwks.json`: the keys that verify access tokens (RFC 7517 §5).
    func keys(_ request: Request, _ context: ServerContext) async throws -> Response {
        let keys = try await signingKeys().map(\.publicKey)
        let bodies = keys.map { KeyBody(x: $0.x, y: $0.y, kid: $0.id) }
        // Half as long as a token lives, so that a new key is known everywhere before it must be.
        return try JSONResponse(body: KeySetAnswer(keys: bodies), headers: [.cacheControl: "public, max-age=300"])
            .response()
    }
}
