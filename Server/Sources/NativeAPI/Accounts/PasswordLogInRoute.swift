import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /v1/log-in/password`: log in with identifier and password.
struct PasswordLogInRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let application = try await api.application(of: request)
        let attemptName = try Attempt.name(of: request)
        let restoringFrom = try api.restoration(of: request, context)
        guard let body = try await api.readJSON(PasswordLogInBody.self, of: request, context) else {
            throw RequestError.membersInvalid(
                ["identifier", "password"].map { MemberFault(path: $0, rule: .required) })
        }
        var named = body
        named.password = ""
        let attempt = try Attempt(name: attemptName, body: named)
        let logIn = try await api.metrics.logIn { () async throws(DomainError) in
            try await api.useCases.logInWithPassword(
                LogInWithPassword.Request(
                    application: application, identifier: body.identifier, password: Secret(body.password),
                    proof: api.gate.presentedProof(of: request, context), joinsDevice: body.joinsDevice ?? true,
                    device: body.device.map { DeviceDescription($0) } ?? .init(), attempt: attempt,
                    address: api.gate.client(of: request, context), restoringFrom: restoringFrom,
                    origin: api.origin(of: request, context)))
        }
        context.tellNotices(logIn.noticeCount)
        return try JSONResponse(body: LogInResponse(logIn)).response()
    }
}
