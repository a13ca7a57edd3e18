import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /v1/email/verify/request`: mail what verifies the present address, or a new one.
struct EmailVerificationRequestRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        let body = try await api.readJSON(EmailVerificationRequestBody.self, of: request, context)
        let life = try await api.useCases.requestEmailVerification(
            email: body?.email, by: caller, isProven: api.isProven(request, context),
            languages: AcceptLanguage.tags(of: request), from: api.gate.client(of: request, context))
        return try JSONResponse(
            body: MailOrderAnswer(expiresInSeconds: life.components.seconds), status: .accepted
        ).response()
    }
}
