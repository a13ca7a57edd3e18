import Domain
import HTTPSupport
import Hummingbird

/// `DELETE /users/{objectId}`: at once and for good, because apps sign up by the same name right after it.
struct DeleteMemberRoute: Sendable {
    let api: NCMBAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        let member = try await api.member(of: request, context, for: caller)
        try await api.useCases.foreign.eraseUser(
            try api.memberId(context), in: caller.application,
            by: .user(member?.user.id, standard: caller.standard),
            from: api.gate.origin(of: request, context))
        return try NCMBResponse.signed(nil, for: caller)
    }
}
