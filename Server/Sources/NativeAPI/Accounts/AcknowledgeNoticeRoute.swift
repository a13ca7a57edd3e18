import Domain
import HTTPSupport
import Hummingbird

/// `DELETE /v1/user/notices/{id}`: the person took note.
struct AcknowledgeNoticeRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        if let id = context.parameters.get("id") {
            try await api.useCases.acknowledgeNotice(Identifier(rawValue: id), by: caller)
        }
        return Response(status: .noContent)
    }
}
