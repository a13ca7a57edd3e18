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
        let logIn = try await api.useCases.logInWithCode(
            LogInWithCode.Request(
                application: application, ticket: body.ticket, code: body.code,
                proof: api.gate.presentedProof(of: request, context),
                joinsDevice: body.joinsDevice ?? true, device: body.device.map { DeviceDescription($0) } ?? .init(),
                attempt: try Attempt(name: name, body: body), address: api.gate.client(of: request, context),
                restoringFrom: restoringFrom))
        context.tellNotices(logIn.noticeCount)
        api.metrics.knownUserLogIns.add()
        return try JSONAnswer(body: LogInAnswer(logIn)).response()
    }
}
