import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `PUT /v1/user/password`: another password; the other sessions end.
struct ChangePasswordRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        guard let body = try await api.readJSON(PasswordChangeBody.self, of: request, context) else {
            throw RequestError.membersInvalid([MemberFault(path: "newPassword", rule: .required)])
        }
        let ended = try await api.useCases.changePassword(
            ChangePassword.Request(
                current: body.currentPassword.map(Secret.init(_:)), new: Secret(body.newPassword),
                address: api.gate.client(of: request, context), origin: api.origin(of: request, context)),
            by: caller)
        return try JSONResponse(body: EndedSessionsAnswer(ended: ended)).response()
    }
}
