/// Ends one session by its id, with what it may have begun, and says so in the audit log, on the user whose it was.
package struct EndSession: Sendable {
    let store: any Store
    let audit: AuditTrail

    /// Ends a session for an operator.
    ///
    /// - Parameters:
    ///   - id: Which.
    ///   - user: Whose it must be; `nil` looks its owner up.
    ///   - application: Where.
    ///   - who: Who ends it.
    /// - Throws: `sessionUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<Session>, of user: Identifier<User>?, in application: Identifier<Application>, by who: Operator
    ) async throws(DomainError) {
        let entry = audit.draft(.sessionEnded, by: who.actor, in: application, from: who.origin)
        var found = user
        if found == nil {
            // Beside the writer: a session of Okaeri's own is looked for among all.
            found = try await store.read { transaction throws(DomainError) in
                try transaction.owner(of: id, in: application, openedBy: nil)
            }
        }
        guard let owner = found else { throw .sessionUnknown }
        try await store.write { transaction throws(DomainError) in
            guard try transaction.endForGood(id, of: owner, in: application) else { throw .sessionUnknown }
            try entry.record(on: .user(owner), details: ["session": id.rawValue], in: transaction)
        }
    }

    /// Ends one of the user's own sessions.
    ///
    /// - Throws: `sessionUnknown`, `rateLimited`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<Session>, by who: Authenticated, from origin: RequestOrigin
    ) async throws(DomainError) {
        let user = who.user.id
        try await self(id, of: user, in: who.application.id, by: Operator(actor: .user(user), origin: origin))
    }
}

/// Ends the session of the request. Who holds the token is who may end it, as by `RevokeToken`, whatever proof comes with it or does not,
/// and whether or not the user is kept out: a session that stayed would count again once no proofs are wanted any more, or the user is
/// let in again.
package struct LogOut: Sendable {
    let store: any Store
    let authenticate: Authenticate

    /// - Parameters:
    ///   - request: What was sent.
    ///   - address: Where it came from; asked only when the use is written down.
    /// - Returns: whose session it was.
    /// - Throws: `sessionRequired`, `sessionInvalid`, `storageUnavailable`. A session that ended meanwhile is no error.
    package func callAsFunction(
        _ request: Authenticate.Request, from address: () -> ClientAddress
    ) async throws(DomainError) -> Authenticated {
        let who: Authenticated
        do throws(DomainError) {
            who = try await authenticate(request, from: address)
        } catch {
            switch error.code {
            case .sessionInvalid, .userDisabled, .proofRequired, .proofRefused, .proofReplayed, .clockSkew: break
            default: throw error
            }
            guard let token = request.token,
                let found = try await authenticate.session(
                    of: token, in: request.application, protocolName: request.protocolName, isEnding: true)
            else { throw error }
            who = found
        }
        try await self(who)
        return who
    }

    /// - Throws: `storageUnavailable`. A session that ended meanwhile is no error.
    package func callAsFunction(_ who: Authenticated) async throws(DomainError) {
        let (session, user, application) = (who.session.id, who.user.id, who.application.id)
        _ = try await store.write { transaction throws(DomainError) in
            try transaction.endSession(session, of: user, in: application)
        }
    }
}
