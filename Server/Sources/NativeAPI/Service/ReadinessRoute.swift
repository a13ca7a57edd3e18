import Domain
import HTTPSupport
import Hummingbird

/// `GET /health/ready`: the storage can be reached.
struct ReadinessRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        do {
            // No application has the empty id, and what was not found is not kept: this always asks the storage.
            _ = try await api.useCases.findApplication(Identifier(rawValue: ""))
        } catch {
            guard error == .applicationUnknown else { throw error }
            return try JSONResponse(body: HealthResponse(status: "ready")).response()
        }
        return try JSONResponse(body: HealthResponse(status: "ready")).response()
    }
}
