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
        let changes = UpdateUser.Changes(patch ?? UserPatchBody())
        if !changes.identifiers.isEmpty {
            try api.useCases.requireRecentLogIn(caller, isProven: api.isProven(request, context))
        }
        let user = try await api.useCases.updateUser(
            caller.user.id, in: caller.application, changes: changes, from: api.origin(of: request, context),
            keeping: KeptAccess(caller))
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
