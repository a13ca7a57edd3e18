import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `GET /v1/user/sessions`: the own live sessions, newest first.
struct ListSessionsRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        let sessions = try await api.useCases.listSessions(of: caller.user.id, in: caller.application)
        let bodies = sessions.map { SessionBody($0, isCurrent: $0.id == caller.session.id) }
        return try JSONResponse(body: SessionListAnswer(sessions: bodies)).response()
    }
}
