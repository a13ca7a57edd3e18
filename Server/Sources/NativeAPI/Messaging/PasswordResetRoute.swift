import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /v1/password-reset`: a new password, with the token of a mail; all sessions end.
struct PasswordResetRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let application = try await api.application(of: request)
        let name = try Attempt.name(of: request)
        let body = try await api.requiredJSON(PasswordResetBody.self, of: request, context)
        let restoringFrom = try api.restoration(of: request, context)
        var named = body
        named.newPassword = ""
        try await api.useCases.resetPassword(
            ResetPassword.Request(
                application: application, token: body.token, newPassword: Secret(body.newPassword),
                address: api.gate.client(of: request, context),
                attempt: try Attempt(name: name, body: named)?.digest, restoringFrom: restoringFrom,
                origin: api.origin(of: request, context)))
        return Response(status: .noContent)
    }
}
