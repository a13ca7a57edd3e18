import Domain
import HTTPSupport
import Hummingbird
import NIOCore
import OkaeriWire

/// `GET /users/{objectId}`. To read oneself is the hot path: the session's cache has the member already, and after the
/// first time the answer's bytes too, but for the session token, which nothing keeps.
struct ReadMemberRoute: RouteHandler {
    let api: NCMBAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        let member = try await api.member(of: request, context, for: caller)
        let id = try api.memberId(context)
        if let member, member.user.id == id {
            return NCMBAnswer.signed(try own(member, caller, request), for: caller)
        }
        let user = try await api.useCases.readUser(id, in: caller.application.id)
        guard user.deletionRequestedAt == nil else { throw DomainError.userUnknown }
        guard user.rights(of: member?.user.id, standard: caller.standard).contains(.read) else {
            throw DomainError.accessRefused
        }
        return try NCMBAnswer.signed(
            MemberObject(user, for: caller).forOthers, for: caller)
    }

    /// With the session token that the request was made with: Swift erases its own before it takes this answer over.
    private func own(_ member: Authenticated, _ caller: NCMBCaller, _ request: Request) throws -> ByteBuffer {
        let written: [UInt8]
        if let kept = member.writtenUser, kept.protocolName == .ncmb {
            written = kept.bytes
        } else {
            let object = MemberObject(member.user, for: caller).own()
            written = Array(try JSONBytes.buffer(of: object).readableBytesView)
            member.keep(WrittenUser(protocolName: .ncmb, bytes: written))
        }
        let token = try JSONBytes.buffer(of: request.headers.value(of: .ncmbSessionToken) ?? "")
        var body = ByteBuffer()
        body.reserveCapacity(written.count + token.readableBytes + 20)
        body.writeBytes(written.dropLast())
        body.writeStaticString(",\"sessionToken\":")
        body.writeImmutableBuffer(token)
        body.writeStaticString("}")
        return body
    }
}

extension NCMBAPI {
    /// The member that the path names.
    func memberId(_ context: ServerContext) throws(DomainError) -> Identifier<User> {
        guard let id = context.parameters.get("objectId"), id.utf8.count <= 128 else { throw .userUnknown }
        return Identifier(rawValue: id)
    }
}
