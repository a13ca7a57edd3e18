import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `DELETE /v1/user`: the user asks to be deleted.
struct RequestDeletionRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.presentCaller(of: request, context)
        let erasedAt = try await api.useCases.requestDeletion(by: caller, from: api.origin(of: request, context))
        return try JSONResponse(body: DeletionAnswer(erasedAt: erasedAt.wire), status: .accepted).response()
    }
}
