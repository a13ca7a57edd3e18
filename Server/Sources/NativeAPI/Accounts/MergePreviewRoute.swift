import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /v1/user/merge/preview`: what would become of two users.
struct MergePreviewRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        guard let asked = try await api.readJSON(MergePreviewBody.self, of: request, context) else {
            throw RequestError.membersInvalid([MemberFault(path: "ticket", rule: .required)])
        }
        let preview = try await api.useCases.previewMerge(asked.ticket, by: caller)
        // The caller has proved to be both.
        func body(_ user: User) -> UserBody { UserBody(user.shown(to: .owner, in: caller.application)) }
        let answer = MergePreviewResponse(
            current: body(preview.current), other: body(preview.other), merged: body(preview.merged),
            expiresAt: preview.expiresAt.wire)
        return try JSONResponse(body: answer).response()
    }
}
