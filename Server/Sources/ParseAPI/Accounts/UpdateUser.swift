import Domain
import HTTPSupport
import OkaeriWire

extension ParseAPI {
    /// `PUT /users/{objectId}`: fields and operations, identifiers, a password, access, and what leads to the user.
    func updateUser(_ call: ParseCall) async throws -> ParseResponse {
        guard call.caller.isMaster || call.caller.session != nil else {
            throw ParseFault(206, "Cannot modify user \(MemberFault.printable(call.objectId)).")
        }
        do {
            return try await update(call)
        } catch {
            // The SDKs read this code, also for a proof that does not hold.
            throw ParseErrors.fault(error).code == 101 && !call.caller.isMaster ? ParseFault.insufficientAuth : error
        }
    }

    private func update(_ call: ParseCall) async throws -> ParseResponse {
        let id: Identifier<User> = try call.id()
        let change = try UserChange(call.body, of: id, isMaster: call.caller.isMaster)
        var changes = UserEdit(
            compatible: .operations(change.operations),
            identifiers: NewIdentifiers(username: change.username, email: change.email, rules: call.caller.rules))
        changes.acl = change.acl
        changes.isEmailVerified = change.isEmailVerified
        if call.caller.isMaster, case .set(let list) = change.acl { changes.isDisabled = list.entries.isEmpty }
        if let password = change.password {
            let renewal = UserEdit.Renewal(protocolName: .parse, device: call.caller.device)
            changes.password = .set(password, renewal: call.caller.isMaster ? nil : renewal)
        }
        var linksByMaster = false
        if let sent = call.body["authData"] {
            let authData = try AuthDataRequest(sent, linked: try await identities(of: id, call))
            changes.people = try await verified(authData, call)
            changes.anonymousId = authData.anonymousId
            changes.unlinked = authData.unlinked
            linksByMaster = call.caller.isMaster && !authData.isEmpty
        }
        let changed = try await modules.accounts.editUser(
            changes, of: id, in: call.application,
            by: EditUser.Author(call.caller.actor, of: id, session: call.caller.session, from: origin(of: call)))
        if changed.hasNewEmail { await sendConfirmation(to: changed.user, by: call.caller.session?.session, call) }
        var token = changed.token
        if linksByMaster { token = try await openSession(of: id, .administrator, by: .operator, call).token }
        var members: [String: JSONValue] = ["updatedAt": .string(changed.user.updatedAt.text)]
        let told = UserObject(changed.user, for: call.caller)
            .fields(change.told, isOwn: id == call.caller.session?.user.id)
        members.merge(told) { $1 }
        if let token { members["sessionToken"] = .string(token.revealed) }
        return ParseResponse(members)
    }

    /// What is linked already. Only who may change that learns what it is.
    private func identities(of id: Identifier<User>, _ call: ParseCall) async throws -> [Identity] {
        if let session = call.caller.session, session.user.id == id { return session.user.identities }
        let user = try await modules.accounts.readUser(id, in: call.application.id)
        guard call.caller.actor.may(.identityLinked, user) else { throw DomainError.accessRefused }
        return user.identities
    }

    /// `DELETE /users/{objectId}`: at once and for good, with all sessions.
    func deleteUser(_ call: ParseCall) async throws -> ParseResponse {
        guard call.caller.isMaster || call.caller.session != nil else {
            throw ParseFault(206, "Insufficient auth to delete user")
        }
        do {
            try await modules.deletion.eraseAccessibleUser(
                try call.id(), in: call.application, by: call.caller.actor, from: origin(of: call))
        } catch {
            guard error.isMissing else { throw error }
            throw call.caller.isMaster ? ParseFault.objectNotFoundForDelete : .insufficientAuth
        }
        return ParseResponse([:])
    }
}

extension DomainError {
    /// Whether there is no such user, as far as the caller is concerned.
    fileprivate var isMissing: Bool { self == .userUnknown || self == .accessRefused }
}
