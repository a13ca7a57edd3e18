import Domain
import HTTPSupport
import Hummingbird

/// `DELETE /apps/{appID}/users/{user}`: at once, so that the login name is free again.
struct DeleteUserRoute: RouteHandler {
    let api: KiiAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let enabled = try await api.enabled(request, context)
        let caller = try await api.knownCaller(enabled, request, context)
        let user = try await api.changeable(
            try UserReference(context, in: enabled.publicKey), by: caller, in: enabled)
        let author = api.author(caller, of: user, request, context).entry
        try await api.useCases.eraseUserAtOnce(
            user.id, in: enabled.application.id, by: author.actor, from: author.origin)
        return KiiResponse.nothing
    }
}
