import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `DELETE /v1/user/sessions`: “log out everywhere”: every way into the account ends but the session of the request, its
/// device key, and what the user logs in with.
struct EndOtherSessionsRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.presentCaller(of: request, context)
        let ended = try await api.useCases.endOtherSessions(by: caller, from: api.origin(of: request, context))
        return try JSONResponse(body: EndedSessionsAnswer(ended: ended.sessions, removedDeviceKeys: ended.deviceKeys))
            .response()
    }
}
