import Domain
import HTTPSupport
import Hummingbird
import NIOCore
import OkaeriWire

/// `GET /v1/user`: the own user. The hot path: the session's cache has the user already, so there is no query, and
/// after the first time it has the answer's bytes too.
struct ReadUserRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        return Response(json: try caller.written(for: .native, UserBody(caller.userView)).body)
    }
}
