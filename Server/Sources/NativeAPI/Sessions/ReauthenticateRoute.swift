import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /v1/user/reauthenticate`: proves again that the session's owner is there.
struct ReauthenticateRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        let body = try await api.readJSON(ReauthenticationBody.self, of: request, context)
        let credential: Reauthenticate.Credential
        if let password = body?.password {
            credential = .password(Secret(password))
        } else if api.isProven(request, context) {
            credential = .deviceKey
        } else {
            throw HTTPFault.membersInvalid([MemberFault(path: "password", rule: .required)])
        }
        let answer = try await api.useCases.reauthenticate(
            by: credential, from: api.gate.client(of: request, context), caller)
        return try JSONAnswer(
            body: ReauthenticationAnswer(
                session: NewSessionBody(
                    id: answer.session.id.rawValue, token: answer.token.revealed,
                    expiresAt: answer.session.expiresAt.wire, idleSeconds: answer.idleLifetime.components.seconds),
                freshUntil: answer.freshUntil.wire)
        ).response()
    }
}
