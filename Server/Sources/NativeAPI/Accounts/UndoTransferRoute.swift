import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /v1/user/transfer-code/undo`: takes a device out again that joined by a transfer code.
struct UndoTransferRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        guard let body = try await api.readJSON(UndoTransferBody.self, of: request, context) else {
            throw RequestError.membersInvalid([MemberFault(path: "transfer", rule: .required)])
        }
        try await api.useCases.undoTransfer(
            Identifier(rawValue: body.transfer), by: caller, from: api.origin(of: request, context))
        return Response(status: .noContent)
    }
}
