import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /v1/password-reset/request`: mail what allows a new password. The answer tells nobody whether there is such a
/// user.
struct PasswordResetRequestRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let application = try await api.application(of: request)
        let body = try await api.requiredJSON(PasswordResetRequestBody.self, of: request, context)
        let life = try await api.useCases.requestPasswordReset(
            email: body.email, in: application, languages: AcceptLanguage.tags(of: request),
            from: api.gate.client(of: request, context))
        return try JSONResponse(
            body: MailOrderAnswer(expiresInSeconds: life.components.seconds), status: .accepted
        ).response()
    }
}
