import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /v1/user/page`: an address that opens the own account on the pages, once.
struct PageTicketRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        guard let ticket = try api.useCases.issuePageTicket(for: caller) else { throw HTTPFault.pathUnknown }
        return try JSONAnswer(
            body: PageAddressAnswer(url: ticket.url.revealed, expiresAt: ticket.expiresAt.wire), status: .created
        ).response()
    }
}
