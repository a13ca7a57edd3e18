import Domain
import HTTPSupport
import Hummingbird

/// `DELETE /v1/user/sessions/{id}`: ends one of the own sessions.
struct EndSessionRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        guard let id = context.parameters.get("id") else { throw DomainError.sessionUnknown }
        try await api.useCases.endSession(Identifier(rawValue: id), by: caller, from: api.origin(of: request, context))
        return Response(status: .noContent)
    }
}
