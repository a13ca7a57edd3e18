import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

/// `POST /v1/log-in/automatic`: log in with the device's key; the first time makes a user.
struct AutomaticLogInRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let application = try await api.application(of: request)
        guard let proof = api.gate.presentedProof(of: request, context) else { throw DomainError.proofRequired }
        let attemptName = try Attempt.name(of: request)
        let restoringFrom = try api.restoration(of: request, context)
        let body = try await api.readJSON(AutomaticLogInBody.self, of: request, context) ?? AutomaticLogInBody()
        let attempt = try Attempt(name: attemptName, body: body)
        let logIn: LogIn
        do {
            logIn = try await api.useCases.logInAutomatically(
                LogInAutomatically.Request(
                    application: application, proof: proof,
                    device: body.device.map { DeviceDescription($0) } ?? .init(),
                    newUser: .init(body.user), attempt: attempt, address: api.gate.client(of: request, context),
                    restoringFrom: restoringFrom))
        } catch {
            if case .rateLimited = error { api.metrics.refusedFirstLaunches.add() }
            throw error
        }
        context.tellNotices(logIn.noticeCount)
        (logIn.isNew ? api.metrics.newUserLogIns : api.metrics.knownUserLogIns).add()
        return try JSONResponse(body: LogInResponse(logIn), status: logIn.isNew ? .created : .ok).response()
    }
}

extension UserRegistration.Profile {
    fileprivate init(_ body: NewUserBody?) {
        self.init(displayName: body?.displayName, locale: body?.locale, fields: body?.fields ?? [:])
    }
}
