/// Takes the code or the token of a verification mail: the address is the user's now, and shown to be.
package struct VerifyEmail: Sendable {
    let tryCode: TryCode
    let editUser: EditUser
    let changes: AccountChanges

    package enum Proof: Sendable {
        /// Typed in the user's session.
        case code(String, by: Authenticated)
        /// From a link, which needs no session; of one user alone where it is typed in a session all the same.
        case token(String, of: Identifier<User>?)
    }

    /// - Parameters:
    ///   - proof: What the mail said.
    ///   - application: Where.
    ///   - client: Who tries.
    ///   - attempt: Names the attempt, so that it can be repeated.
    ///   - origin: Where the request came from, for the audit log.
    /// - Throws: `codeRefused`, also when the user has another address by now; `identifiersTaken` when somebody else has
    ///   the address by now; `rateLimited`, `storageUnavailable`.
    package func callAsFunction(
        _ proof: Proof, in application: Application, from client: ClientAddress, attempt: SecretDigest? = nil,
        origin: RequestOrigin
    ) async throws(DomainError) {
        let entry = changes.refusal(of: .emailVerified, in: application.id, from: origin)
        var presented =
            switch proof {
            case .code(let code, let who):
                TryCode.Presented(
                    .emailVerification, in: application.id, .user(who.user.id), code, from: client, attempt: attempt)
            case .token(let token, _):
                TryCode.Presented(
                    .emailVerification, in: application.id, .code, token, from: client, attempt: attempt)
            }
        presented.refusal = entry
        let owner = try await tryCode.owner(of: presented)
        if case .token(_, let holder?) = proof, let owner, owner.user.id != holder { throw .codeRefused }
        let caller: Identifier<Session>? = if case .code(_, let who) = proof { who.session.id } else { nil }
        let ready = try await ready(for: owner, in: application, from: origin)
        try await tryCode(presented) { code, user, transaction throws(DomainError) in
            // A repetition finds all this done.
            guard code.usedBy == nil, let ready else { return }
            _ = try ready.store(
                user, keeping: try transaction.access(by: code, of: user, typedIn: caller), in: transaction)
        }
    }

    /// What goes with the change; `nil` for a code that is none.
    private func ready(
        for owner: (code: MailedCode, user: User)?, in application: Application, from origin: RequestOrigin
    ) async throws(DomainError) -> ReadyEdit? {
        guard let (code, user) = owner else { return nil }
        let ordering = try await editUser.store.read { transaction throws(DomainError) in
            try transaction.ordering(of: code, of: user)
        }
        return try await editUser.ready(
            UserEdit(proving: LogInIdentifier(.email, shown: code.address)), of: user, in: application,
            by: .holder(of: user.id, showing: .code, from: origin, keeping: .nothing).ordered(by: ordering))
    }
}

extension Transaction {
    /// What the client uses that takes a code: the session in which it is typed, as long as that lives, and its key. A link in a
    /// mail may be followed elsewhere: then it is the session in which it was asked for.
    func access(
        by code: MailedCode, of user: User, typedIn caller: Identifier<Session>?
    ) throws(DomainError) -> KeptAccess {
        var kept = KeptAccess(session: nil, deviceKey: nil, code: code.handle)
        let session = try (caller?.rawValue ?? code.origin).flatMap { origin throws(DomainError) in
            try self.session(orderingBy: origin, of: user)
        }
        kept.session = session?.id
        kept.deviceKey = session?.deviceKey
        return kept
    }

    /// In what a code was ordered; `nil` where it was in no session, or where no session needs more than itself.
    fileprivate func ordering(of code: MailedCode, of user: User) throws(DomainError) -> AccountAuthor.Ordering? {
        guard let origin = code.origin else { return nil }
        if let session = try session(orderingBy: origin, of: user) { return .session(session) }
        // Apps of old protocols have no device keys.
        guard !user.identities.contains(where: { $0.provider == .device && $0.subject == origin }) else { return nil }
        // Which protocol it was of, nobody knows any more.
        return try protocolKeys(of: user.application).isEmpty ? nil : .endedSession
    }
}
