import HTTPSupport
import Hummingbird

/// `GET /health/live`: the process answers. Asks nothing else, so that a slow disk restarts nobody.
struct LivenessRoute: RouteHandler {
    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        try JSONResponse(body: HealthResponse(status: "live")).response()
    }
}

/// The answer to both health routes.
struct HealthResponse: Encodable {
    var status: String
}
