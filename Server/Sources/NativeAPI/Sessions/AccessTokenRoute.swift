import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /v1/token`: an access token for the app's own backends.
struct AccessTokenRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        let body = try await api.readJSON(TokenBody.self, of: request, context) ?? TokenBody()
        let token = try await api.useCases.mintAccessToken(for: caller, audience: body.audience)
        let answer = TokenResponse(
            accessToken: token.revealed, expiresIn: MintAccessToken.lifetime.components.seconds)
        return try JSONResponse(body: answer).response()
    }
}
