import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /v1/user/merge/undo`: takes a merge apart again.
struct UndoMergeRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.presentCaller(of: request, context)
        guard let body = try await api.readJSON(UndoMergeBody.self, of: request, context) else {
            throw RequestError.membersInvalid([MemberFault(path: "merge", rule: .required)])
        }
        try await api.useCases.undoMerge(
            Identifier(rawValue: body.merge), by: caller, from: api.origin(of: request, context))
        return Response(status: .noContent)
    }
}
