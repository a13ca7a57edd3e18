import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `DELETE /v1/user/identities/{provider}`: unlink a provider's identity from the own user.
struct UnlinkProviderRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.presentCaller(of: request, context)
        let user = try await api.useCases.editUser(
            UserEdit(unlinking: try context.provider()), of: caller.user.id, in: caller.application,
            by: .owner(caller, from: api.origin(of: request, context))
        ).user
        return try JSONResponse(body: UserBody(user.shown(to: .owner, in: caller.application))).response()
    }
}
