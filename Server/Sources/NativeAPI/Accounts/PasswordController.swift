import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// The password of the own user, and its reset by mail.
struct PasswordController: Sendable {
    let requests: NativeRequests
    let accounts: Accounts
    let messaging: Messaging

    /// `PUT /v1/user/password`: another password; the other sessions end.
    func change(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        guard let body = try await requests.readJSON(PasswordChangeBody.self, of: request, context) else {
            throw RequestError.membersInvalid([MemberFault(path: "newPassword", rule: .required)])
        }
        let changed = try await accounts.changePassword(
            ChangePassword.Request(
                current: body.currentPassword.map(Secret.init(_:)), new: Secret(body.newPassword),
                address: requests.gate.client(of: request, context), rules: .native,
                origin: requests.origin(of: request, context)),
            by: caller, isProven: requests.isProven(request, context))
        return try JSONResponse(body: EndedSessionsResponse(ended: changed.ended)).response()
    }

    /// `POST /v1/password-reset/request`: mail what allows a new password. The answer tells nobody whether there is such a
    /// user.
    func requestReset(
        _ application: Domain.Application, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let body = try await requests.requiredJSON(MailOrderBody.self, of: request, context)
        let life = try await messaging.requestPasswordReset(
            email: body.email, in: application, languages: AcceptLanguage.tags(of: request),
            from: requests.gate.client(of: request, context))
        return try JSONResponse(
            body: MailOrderResponse(expiresInSeconds: life.components.seconds), status: .accepted
        ).response()
    }

    /// `POST /v1/password-reset`: a new password, with the token of a mail; all sessions end.
    func reset(
        _ application: Domain.Application, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let name = try Attempt.name(of: request)
        let body = try await requests.requiredJSON(PasswordResetBody.self, of: request, context)
        let restoringFrom = try requests.restoration(of: request, context)
        var named = body
        named.newPassword = ""
        try await accounts.resetPassword(
            ResetPassword.Request(
                application: application, token: body.token, newPassword: Secret(body.newPassword),
                address: requests.gate.client(of: request, context),
                attempt: try Attempt(name: name, body: named)?.digest, restoringFrom: restoringFrom,
                origin: requests.origin(of: request, context), rules: .native))
        return Response(status: .noContent)
    }
}
