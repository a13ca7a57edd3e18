import Domain
import HTTPSupport
import Hummingbird

/// `POST /v1/log-out`: ends the session of the request.
struct LogOutRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        try await api.useCases.logOut(caller)
        return Response(status: .noContent)
    }
}
