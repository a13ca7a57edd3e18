import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /v1/user/merge/preview`: what would become of two users.
struct MergePreviewRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        guard let body = try await api.readJSON(MergePreviewBody.self, of: request, context) else {
            throw HTTPFault.membersInvalid([MemberFault(path: "ticket", rule: .required)])
        }
        let preview = try await api.useCases.previewMerge(body.ticket, by: caller)
        let answer = MergePreviewAnswer(
            current: UserBody(preview.current), other: UserBody(preview.other), merged: UserBody(preview.merged),
            expiresAt: preview.expiresAt.wire)
        return try JSONAnswer(body: answer).response()
    }
}
