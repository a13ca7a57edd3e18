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
        let credential = try Reauthenticate.Credential(
            body ?? ReauthenticationBody(), isProven: api.isProven(request, context))
        let answer = try await api.useCases.reauthenticate(
            by: credential, from: api.gate.client(of: request, context), caller,
            origin: api.origin(of: request, context))
        return try JSONResponse(
            body: ReauthenticationAnswer(
                session: NewSessionBody(
                    id: answer.session.id.rawValue, token: answer.token.revealed,
                    expiresAt: answer.session.expiresAt.wire, idleSeconds: answer.idleLifetime.components.seconds),
                freshUntil: answer.freshUntil.wire)
        ).response()
    }
}

extension Reauthenticate.Credential {
    /// What the body proves by: exactly one thing, or the proof in the header alone.
    ///
    /// - Throws: `RequestError.membersInvalid`.
    fileprivate init(_ body: ReauthenticationBody, isProven: Bool) throws(RequestError) {
        let (isByCode, isByProvider) = (
            body.code != nil || body.ticket != nil, body.provider != nil || body.credential != nil
        )
        switch (body.password, isByCode, isByProvider) {
        case (let password?, false, false):
            self = .password(Secret(password))
        case (nil, true, false):
            guard let code = body.code else { throw .missing("code") }
            guard let ticket = body.ticket else { throw .missing("ticket") }
            self = .code(code, ticket: ticket)
        case (nil, false, true):
            guard let provider = body.provider else { throw .missing("provider") }
            guard let credential = body.credential else { throw .missing("credential") }
            self = .provider(.init(rawValue: provider), try ProviderCredential(credential.logIn))
        case (nil, false, false):
            guard isProven else { throw .missing("password") }
            self = .deviceKey
        default:
            // Which of them should count, nobody could say.
            throw .membersInvalid([MemberFault(path: isByProvider ? "provider" : "code", rule: .malformed)])
        }
    }
}

extension RequestError {
    fileprivate static func missing(_ member: String) -> RequestError {
        .membersInvalid([MemberFault(path: member, rule: .required)])
    }
}
