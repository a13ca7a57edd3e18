import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

/// `GET /.well-known/jwks.json`: the keys that verify access tokens (RFC 7517 §5).
struct KeySetRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let keys = try await api.useCases.signingKeys().map(\.publicKey)
        let bodies = keys.map { KeyBody(x: $0.x, y: $0.y, kid: $0.id) }
        // Half as long as a token lives, so that a new key is known everywhere before it must be.
        return try JSONResponse(body: KeySetAnswer(keys: bodies), headers: [.cacheControl: "public, max-age=300"])
            .response()
    }
}
