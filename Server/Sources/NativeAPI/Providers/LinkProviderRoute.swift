import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /v1/user/identities/{provider}`: link a provider's identity to the own user.
struct LinkProviderRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.presentCaller(of: request, context)
        let provider = try context.provider()
        guard let body = try await api.readJSON(ProviderLinkBody.self, of: request, context) else {
            throw RequestError.nothingPresented
        }
        let credential = try ProviderCredential(body.logIn)
        try await api.useCases.rememberAttempt(
            try Attempt(name: try Attempt.name(of: request), body: body), by: caller)
        let user = try await api.useCases.linkProvider(
            provider, credential, displayName: body.name, by: caller, from: api.origin(of: request, context))
        return try JSONResponse(body: UserBody(user.shown(to: .owner, in: caller.application))).response()
    }
}
