import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /v1/email/verify`: take the code of a verification mail, in the user's session, or the token of its link.
struct EmailVerificationRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let application = try await api.application(of: request)
        let body = try await api.requiredJSON(EmailVerificationBody.self, of: request, context)
        let proof: VerifyEmail.Proof
        switch (body.code, body.token) {
        case (let code?, nil): proof = .code(code, by: try await api.caller(of: request, context))
        case (nil, let token?): proof = .token(token)
        case (nil, nil): throw RequestError.membersInvalid([MemberFault(path: "code", rule: .required)])
        // Which of the two should count, nobody could say.
        case (.some, .some): throw RequestError.membersInvalid([MemberFault(path: "token", rule: .malformed)])
        }
        try await api.useCases.verifyEmail(
            proof, in: application, from: api.gate.client(of: request, context),
            attempt: try Attempt(name: try Attempt.name(of: request), body: body)?.digest,
            origin: api.origin(of: request, context))
        return Response(status: .noContent)
    }
}
