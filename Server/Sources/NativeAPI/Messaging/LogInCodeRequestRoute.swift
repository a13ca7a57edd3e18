import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /v1/log-in/code/request`: mail a code to log in with. The answer tells nobody whether there is such a user.
struct LogInCodeRequestRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let application = try await api.application(of: request)
        let body = try await api.requiredJSON(LogInCodeRequestBody.self, of: request, context)
        let (ticket, life) = try await api.useCases.requestLogInCode(
            email: body.email, in: application, languages: AcceptLanguage.tags(of: request),
            from: api.gate.client(of: request, context))
        let answer = LogInCodeRequestResponse(ticket: ticket.revealed, expiresInSeconds: life.components.seconds)
        return try JSONResponse(body: answer, status: .accepted).response()
    }
}
