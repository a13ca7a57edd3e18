import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /v1/user/page`: an address that opens the own account on the pages, once.
struct OneTimeLogInTokenRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        guard let ticket = try api.useCases.issueOneTimeLogInToken(for: caller) else { throw RequestError.pathUnknown }
        return try JSONResponse(
            body: PageAddressAnswer(url: ticket.url.revealed, expiresAt: ticket.expiresAt.wire), status: .created
        ).response()
    }
}
