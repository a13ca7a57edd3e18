import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /v1/sign-up`: makes a user with identifiers and a password, and logs it in.
struct SignUpRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let application = try await api.application(of: request)
        let attemptName = try Attempt.name(of: request)
        let body = try await api.readJSON(SignUpBody.self, of: request, context) ?? SignUpBody(password: nil)
        var named = body
        named.password = nil
        let attempt = try Attempt(name: attemptName, body: named)
        let logIn = try await api.metrics.logIn { () async throws(DomainError) in
            try await api.useCases.signUp(
                SignUp.Request(
                    application: application,
                    identifiers: NewIdentifiers(
                        username: ValueChange(given: body.username), email: ValueChange(given: body.email),
                        phone: ValueChange(given: body.phone)),
                    password: body.password.map(Secret.init(_:)),
                    newUser: .init(displayName: body.displayName, locale: body.locale, fields: body.fields ?? [:]),
                    proof: api.gate.presentedProof(of: request, context), joinsDevice: body.joinsDevice ?? true,
                    device: body.device.map { DeviceDescription($0) } ?? .init(),
                    attempt: attempt, address: api.gate.client(of: request, context),
                    origin: api.origin(of: request, context)))
        }
        return try JSONResponse(body: LogInResponse(logIn), status: .created).response()
    }
}

extension ValueChange {
    /// A value that may have been given.
    init(given value: Value?) {
        self = value.map { .set($0) } ?? .unchanged
    }
}
