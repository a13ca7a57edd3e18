/// Who somebody is to an account.
package enum AccountRole: String, CaseIterable, Hashable, Sendable {
    /// Somebody whom neither the account nor its access list knows, with a session or without.
    case stranger = "anybody"
    /// Somebody whom the access list lets write, or everybody where it lets everybody.
    case writer = "ACL writer"
    /// The account's own user, unless operators keep it out.
    case owner
    /// The bearer of a master key, of an administrator's token, an admin, or an operator of the server.
    case `operator`
    /// Who shows a code, a token or a ticket that was given to the account's user, or what only that user has.
    case holder = "holder"
    /// An identity provider, by a message that it signed.
    case provider
    /// The server by itself, at the time set for it.
    case server
}

/// Who asks for a change of an account.
package enum AccountActor: Hashable, Sendable {
    /// A user, or nobody in particular, with what everybody may with users without a list.
    case user(Identifier<User>?, standard: ACL.Rights)
    /// Who shows what was given to a user, or what only that user has.
    case holder(of: Identifier<User>)
    /// Somebody who becomes a user by the request.
    case newcomer
    case `operator`
    /// Who has the key that makes an administrator in an old protocol.
    case protocolKey(Session.ProtocolName)
    /// An identity provider, by a message that it signed.
    case provider(Identity.Provider)
    /// The server by itself.
    case server

    /// The user of a session, as its own owner.
    package static func owner(_ user: Identifier<User>) -> AccountActor { .user(user, standard: []) }

    /// Who this is to a user.
    package func role(towards user: User) -> AccountRole {
        switch self {
        case .operator, .protocolKey: .operator
        case .provider: .provider
        case .server: .server
        case .newcomer: .stranger
        case .holder(let id): id == user.id ? .holder : .stranger
        case .user(let id?, _) where id == user.id: user.isDisabled ? .stranger : .owner
        case .user(let id, let standard):
            user.rights(of: id, standard: standard).contains(.write) ? .writer : .stranger
        }
    }

    /// Whether this may make a change of a user, whatever an access list says (requirement 50).
    package func may(_ change: AccountChange, _ user: User) -> Bool {
        change.policy.who.contains(role(towards: user))
    }

    /// Whether this may read a user, as far as an access list says it.
    func mayRead(_ user: User) -> Bool {
        guard case .user(let id, let standard) = self else { return true }
        return user.rights(of: id, standard: standard).contains(.read)
    }

    /// - Throws: `accessRefused` when the actor may not make all of the changes.
    func require(_ needed: Set<AccountChange>, of user: User) throws(DomainError) {
        let role = role(towards: user)
        guard needed.allSatisfy({ $0.policy.who.contains(role) }) else { throw .accessRefused }
    }

    /// Whether what this one does is asked about. Operators decide by themselves.
    var asksHooks: Bool {
        switch self {
        case .user, .holder, .newcomer: true
        case .operator, .protocolKey, .provider, .server: false
        }
    }

    /// Whether this operates the server, or is an administrator of an old protocol.
    var isOperator: Bool {
        switch self {
        case .operator, .protocolKey: true
        case .user, .holder, .newcomer, .provider, .server: false
        }
    }

    /// In whose name the fields of a user are written.
    func writing(to user: User) -> FieldActor {
        switch self {
        case .operator, .protocolKey, .provider, .server: .server
        case .newcomer: .others
        case .holder(let id): id == user.id ? .owner : .others
        case .user(let id, _): id == user.id ? .owner : .others
        }
    }

    /// As the audit log has it.
    package var inAudit: AuditEntry.Actor {
        switch self {
        case .user(let user?, _), .holder(let user): .user(user)
        case .user(nil, _), .newcomer: .unknown
        case .operator: .operator
        case .protocolKey(let name): .protocolKey(name)
        case .provider(let provider): .provider(provider)
        case .server: .server
        }
    }
}
