import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `GET /v1/user`: the own user. The hot path: the session's cache has the user already, so there is no query.
struct ReadUserRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        return try JSONAnswer(body: UserBody(caller.user)).response()
    }
}
