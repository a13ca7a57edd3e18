import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `GET /users/{objectId}`. To read oneself is the hot path: the session's cache has the member already, and after the
/// first time the answer's bytes too, but for the session token, which nothing keeps.
struct ReadMemberRoute: Sendable {
    let api: NCMBAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        let member = try await api.member(of: request, context, for: caller)
        let id = try api.memberId(context)
        if let member, member.user.id == id {
            // Swift's SDK erases its own session token before it takes this answer over, so the answer tells it again.
            let written = try member.written(for: .ncmb, MemberObject(member.user, for: caller).own())
            return NCMBResponse.signed(
                written.bytes(with: request.headers.value(of: .ncmbSessionToken) ?? ""), for: caller)
        }
        let user = try await api.modules.accounts.readUser(id, in: caller.application.id)
        guard user.deletionRequestedAt == nil else { throw DomainError.userUnknown }
        guard user.rights(of: member?.user.id, standard: caller.standard).contains(.read) else {
            throw DomainError.accessRefused
        }
        return try NCMBResponse.signed(
            MemberObject(user, for: caller).forOthers, for: caller)
    }
}

extension NCMBAPI {
    /// The member that the path names.
    func memberId(_ context: ServerContext) throws(DomainError) -> Identifier<User> {
        guard let id = context.parameters.get("objectId"), id.utf8.count <= 128 else { throw .userUnknown }
        return Identifier(rawValue: id)
    }
}

/// `DELETE /users/{objectId}`: at once and for good, because apps sign up by the same name right after it.
struct DeleteMemberRoute: Sendable {
    let api: NCMBAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        let member = try await api.member(of: request, context, for: caller)
        try await api.modules.deletion.eraseAccessibleUser(
            try api.memberId(context), in: caller.application,
            by: .user(member?.user.id, standard: caller.standard),
            from: api.gate.origin(of: request, context))
        return try NCMBResponse.signed(nil, for: caller)
    }
}
