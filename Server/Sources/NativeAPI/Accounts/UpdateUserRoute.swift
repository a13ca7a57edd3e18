import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `PATCH /v1/user`: a JSON merge patch (RFC 7396) of the own user.
struct UpdateUserRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        let patch = try await api.readJSON(
            UserPatchBody.self, of: request, context, mediaTypes: ["application/merge-patch+json", "application/json"])
        let edit = UserEdit(patch ?? UserPatchBody())
        if !edit.identifiers.isEmpty {
            try api.useCases.requireRecentLogIn(caller, isProven: api.isProven(request, context))
        }
        let user = try await api.useCases.editUser(
            edit, of: caller.user.id, in: caller.application, by: .owner(caller, from: api.origin(of: request, context))
        ).user
        return try JSONResponse(body: UserBody(user.shown(to: .owner, in: caller.application))).response()
    }
}

extension ValueChange where Value: Codable & Hashable {
    /// A change as it was sent.
    init(_ change: UserPatchBody.Change<Value>) {
        self =
            switch change {
            case .unchanged: .unchanged
            case .removed: .removed
            case .set(let value): .set(value)
            }
    }
}
