import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `DELETE /v1/user/sessions`: ends all own sessions but the one of the request.
struct EndOtherSessionsRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        let ended = try await api.useCases.endOtherSessions(by: caller, from: api.origin(of: request, context))
        return try JSONAnswer(body: EndedSessionsAnswer(ended: ended)).response()
    }
}
