import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// One-time codes by mail.
struct LogInCodesController: Sendable {
    let requests: NativeRequests
    let metrics: ServerMetrics
    let messaging: Messaging
    let logIns: LogIns

    /// `POST /v1/log-in/code/request`: mail a code to log in with. The answer tells nobody whether there is such a user.
    func send(
        _ application: Domain.Application, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let body = try await requests.requiredJSON(MailOrderBody.self, of: request, context)
        let (ticket, life) = try await messaging.requestLogInCode(
            email: body.email, in: application, languages: AcceptLanguage.tags(of: request),
            from: requests.gate.client(of: request, context))
        let answer = LogInCodeRequestResponse(ticket: ticket.revealed, expiresInSeconds: life.components.seconds)
        return try JSONResponse(body: answer, status: .accepted).response()
    }

    /// `POST /v1/log-in/code`: log in with a code that was mailed.
    func logIn(
        _ application: Domain.Application, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let name = try Attempt.name(of: request)
        let restoringFrom = try requests.restoration(of: request, context)
        let body = try await requests.requiredJSON(LogInCodeBody.self, of: request, context)
        let attempt = try Attempt(name: name, body: body)
        let logIn = try await metrics.logIn { () async throws(DomainError) in
            try await logIns.logInWithCode(
                LogInWithCode.Request(
                    application: application, ticket: body.ticket, code: body.code,
                    client: requests.logInClient(body.device, body.joinsDevice, request, context),
                    attempt: attempt, restoringFrom: restoringFrom))
        }
        context.tellNotices(logIn.noticeCount)
        return try JSONResponse(body: LogInResponse(logIn)).response()
    }
}
