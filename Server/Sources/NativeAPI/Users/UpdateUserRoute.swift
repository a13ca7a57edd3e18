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
        let user = try await api.useCases.updateUser(
            caller.user.id, in: caller.application.id, changes: UpdateUser.Changes(patch ?? UserPatchBody()))
        return try JSONAnswer(body: UserBody(user)).response()
    }
}

extension UpdateUser.Changes {
    fileprivate init(_ patch: UserPatchBody) {
        self.init(
            displayName: ValueChange(patch.displayName), locale: ValueChange(patch.locale),
            fields: ValueChange(patch.fields))
    }
}

extension ValueChange where Value: Codable & Hashable {
    fileprivate init(_ change: UserPatchBody.Change<Value>) {
        self =
            switch change {
            case .unchanged: .unchanged
            case .removed: .removed
            case .set(let value): .set(value)
            }
    }
}
