import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

/// `POST /v1/log-in/automatic`: log in with the device's key; the first time makes a user.
struct AutomaticLogInRoute: RouteHandler {
    /// Longest `Idempotency-Key`.
    static let maximumKeyBytes = 255

    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let application = try await api.application(of: request)
        guard let proof = api.gate.presentedProof(of: request, context) else { throw DomainError.proofRequired }
        let attempt = try Self.attempt(of: request)
        let body = try await api.readJSON(AutomaticLogInBody.self, of: request, context) ?? AutomaticLogInBody()
        let logIn: LogIn
        do {
            logIn = try await api.useCases.logInAutomatically(
                LogInAutomatically.Request(
                    application: application, proof: proof,
                    device: body.device.map { DeviceDescription($0) } ?? .init(),
                    newUser: .init(body.user), attempt: attempt, address: api.gate.client(of: request, context)))
        } catch {
            if case .rateLimited = error { api.metrics.refusedFirstLaunches.add() }
            throw error
        }
        (logIn.isNew ? api.metrics.newUserLogIns : api.metrics.knownUserLogIns).add()
        return try JSONAnswer(body: LogInAnswer(logIn), status: logIn.isNew ? .created : .ok).response()
    }

    private static func attempt(of request: Request) throws(HTTPFault) -> String? {
        guard let key = request.headers[.idempotencyKey] else { return nil }
        guard (1...maximumKeyBytes).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw .headerInvalid(
                name: HeaderName.idempotencyKey, rule: "1 to \(maximumKeyBytes) visible ASCII characters")
        }
        return key
    }
}

extension LogInAutomatically.NewUser {
    fileprivate init(_ body: NewUserBody?) {
        self.init(displayName: body?.displayName, locale: body?.locale, fields: body?.fields ?? [:])
    }
}

extension LogInAnswer {
    fileprivate init(_ logIn: LogIn) {
        self.init(
            isNew: logIn.isNew, user: UserBody(logIn.user), previousLogInAt: logIn.previousLogInAt?.wire,
            session: NewSessionBody(
                id: logIn.session.id.rawValue, token: logIn.token.revealed, expiresAt: logIn.session.expiresAt.wire,
                idleSeconds: logIn.idleLifetime.components.seconds))
    }
}
