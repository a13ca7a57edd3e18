import Domain
import HTTPSupport
import Hummingbird

/// `DELETE /v1/user/transfer-code`: the code leads nowhere any more.
struct WithdrawTransferCodeRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        try await api.useCases.withdrawTransferCode(by: caller, from: api.origin(of: request, context))
        return Response(status: .noContent)
    }
}
