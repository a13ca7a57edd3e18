import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /v1/log-in/code`: log in with a code that was mailed.
struct LogInCodeRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let application = try await api.application(of: request)
        let name = try Attempt.name(of: request)
        let restoringFrom = try api.restoration(of: request, context)
        let body = try await api.requiredJSON(LogInCodeBody.self, of: request, context)
        let attempt = try Attempt(name: name, body: body)
        let logIn = try await api.metrics.logIn { () async throws(DomainError) in
            try await api.useCases.logInWithCode(
                LogInWithCode.Request(
                    application: application, ticket: body.ticket, code: body.code,
                    proof: api.gate.presentedProof(of: request, context),
                    joinsDevice: body.joinsDevice ?? true, device: body.device.map { DeviceDescription($0) } ?? .init(),
                    attempt: attempt, address: api.gate.client(of: request, context),
                    restoringFrom: restoringFrom, origin: api.origin(of: request, context)))
        }
        context.tellNotices(logIn.noticeCount)
        return try JSONResponse(body: LogInResponse(logIn)).response()
    }
}
