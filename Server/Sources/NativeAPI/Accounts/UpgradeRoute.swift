import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /v1/user/upgrade`: gives an anonymous user identifiers and a password.
struct UpgradeRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.presentCaller(of: request, context)
        let attemptName = try Attempt.name(of: request)
        let body = try await api.readJSON(UpgradeBody.self, of: request, context) ?? UpgradeBody(password: nil)
        var named = body
        named.password = nil
        try await api.useCases.rememberAttempt(try Attempt(name: attemptName, body: named), by: caller)
        let user = try await api.useCases.upgradeOrOfferMerge(
            UpgradeUser.Request(
                identifiers: NewIdentifiers(
                    username: ValueChange(given: body.username), email: ValueChange(given: body.email),
                    phone: ValueChange(given: body.phone)),
                password: body.password.map(Secret.init(_:)),
                changes: UserEdit(
                    displayName: ValueChange(body.displayName), locale: ValueChange(body.locale),
                    fields: ValueChange(body.fields)),
                isNamedAttempt: attemptName != nil),
            by: caller, address: api.gate.client(of: request, context), from: api.origin(of: request, context))
        return try JSONResponse(body: UserBody(user.shown(to: .owner, in: caller.application))).response()
    }
}
