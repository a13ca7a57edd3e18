import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `PUT /users/{objectId}`: changes fields, links and unlinks providers. JavaScript sends the whole object each time.
struct UpdateMemberRoute: Sendable {
    let api: NCMBAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        let member = try await api.member(of: request, context, for: caller)
        let id = try api.memberId(context)
        let body = try await api.body(of: request, context)
        // The original changed passwords by mail only; to drop one silently would lock its owner out.
        if let password = body.members["password"], password != .null { throw NCMBFault.notToBeEntered("password") }
        let actor = AccountActor.user(member?.user.id, standard: caller.standard)
        let linked = try await identities(of: id, member, actor, caller, needed: body.members["authData"])
        let authData = try AuthDataRequest(body.members["authData"], linked: linked)
        var changes = try changes(body, of: id, isOwn: member?.user.id == id)
        changes.people = try await api.verified(authData, for: caller, from: api.client(of: request, context))
        changes.anonymousId = authData.anonymousId
        changes.unlinked = authData.unlinked
        let changed = try await api.modules.accounts.editUser(
            changes, of: id, in: caller.application,
            by: EditUser.Author(actor, of: id, session: member, from: api.gate.origin(of: request, context)))
        if changed.hasNewEmail {
            await api.sendConfirmation(to: changed.user, by: member?.session, for: caller, request, context)
        }
        return try NCMBResponse.signed(NCMBObject([("updateDate", .string(changed.user.updatedAt.text))]), for: caller)
    }

    /// What is linked already. Only who may change that learns what it is.
    private func identities(
        of id: Identifier<User>, _ member: Authenticated?, _ actor: AccountActor, _ caller: NCMBCaller,
        needed authData: JSONValue?
    ) async throws -> [Identity] {
        guard let authData, authData != .null else { return [] }
        if let member, member.user.id == id { return member.user.identities }
        let user = try await api.modules.accounts.readUser(id, in: caller.application.id)
        guard actor.may(.identityLinked, user) else { throw DomainError.accessRefused }
        return user.identities
    }

    private func changes(
        _ body: NCMBBody, of id: Identifier<User>, isOwn: Bool
    ) throws -> UserEdit {
        var changes = UserEdit(
            compatible: .unchanged, identifiers: NewIdentifiers(email: try body.mailAddress, rules: .ncmb))
        // Others are shown no address, and send that back with the whole object.
        if case .removed = changes.identifiers.email, !isOwn { changes.identifiers.email = .unchanged }
        var operations: [String: FieldOperation] = [:]
        for (name, value) in try MemberFields.custom(in: body.members) {
            operations[name] = try MemberFields.operation(name, value)
        }
        changes.fields = .operations(operations)
        switch body.members["acl"] {
        case nil, .null?: break
        case let value?: changes.acl = .set(try MemberFields.acl(value))
        }
        if body.members["userName"] != nil {
            let name = try body.text("userName", missing: .empty("userName"))
            // A generated name that is sent back is no choice.
            if name != MemberObject.generatedName(of: id) { changes.identifiers.username = .set(name) }
        }
        return changes
    }
}
