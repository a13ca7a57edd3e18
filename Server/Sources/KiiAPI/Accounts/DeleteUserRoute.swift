import Domain
import HTTPSupport
import Hummingbird

/// `DELETE /apps/{appID}/users/{user}`: at once, so that the login name is free again.
struct DeleteUserRoute: Sendable {
    let api: KiiAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let enabled = try await api.enabled(request, context)
        let caller = try await api.knownCaller(enabled, request, context)
        let user = try await api.changeable(
            try UserReference(context, in: enabled.publicKey), by: caller, in: enabled)
        try await api.useCases.foreign.eraseUser(
            user.id, in: enabled.application, by: caller.actor, from: api.origin(of: request, context),
            seesLeaving: true)
        return KiiResponse.nothing
    }
}
