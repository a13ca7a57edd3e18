import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// Verification of mail addresses.
struct EmailController: Sendable {
    let requests: NativeRequests
    let messaging: Messaging
    let accounts: Accounts

    /// `POST /v1/email/verify/request`: mail what verifies the present address, or a new one.
    func requestVerification(
        _ caller: Authenticated, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let body = try await requests.readJSON(EmailVerificationRequestBody.self, of: request, context)
        let life = try await messaging.requestEmailVerification(
            email: body?.email, by: caller, isProven: requests.isProven(request, context),
            languages: AcceptLanguage.tags(of: request), from: requests.gate.client(of: request, context))
        return try JSONResponse(
            body: MailOrderResponse(expiresInSeconds: life.components.seconds), status: .accepted
        ).response()
    }

    /// `POST /v1/email/verify`: take the code of a verification mail, in the user's session, or the token of its link.
    func verify(
        _ application: Domain.Application, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let body = try await requests.requiredJSON(EmailVerificationBody.self, of: request, context)
        let proof: VerifyEmail.Proof
        switch (body.code, body.token) {
        case (let code?, nil): proof = .code(code, by: try await requests.caller(of: request, context))
        case (nil, let token?): proof = .token(token, of: nil)
        case (nil, nil):
            throw RequestError.membersInvalid([MemberFault(path: "code", rule: .noneOf(["code", "token"]))])
        // Which of the two should count, nobody could say.
        case (.some, .some):
            throw RequestError.membersInvalid([MemberFault(path: "token", rule: .form("Either code or token."))])
        }
        try await accounts.verifyEmail(
            proof, in: application, from: requests.gate.client(of: request, context),
            attempt: try Attempt(name: try Attempt.name(of: request), body: body)?.digest,
            origin: requests.origin(of: request, context))
        return Response(status: .noContent)
    }
}
