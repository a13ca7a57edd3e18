/// A proof of presence that is sent again under its name, because its response got lost: the token of before counts no more by
/// then, and what proved the person counts once (decision 0194).
extension Reauthenticate {
    /// How long a repetition gets its response, as one of a refresh does.
    package static let repetition = RefreshSession.repetition

    /// The session that an attempt made fresh, with the token that it has since.
    struct Made: Sendable {
        let session: Session
        let user: User
        let application: Application
        let token: Secret
    }

    /// The response to an attempt once more.
    ///
    /// - Parameters:
    ///   - attempt: The attempt by its name, with what it asked.
    ///   - credential: What it showed. A password is checked again; of all else the first time counts.
    ///   - address: Where the request came from.
    ///   - request: The token of before, with the proof beside it.
    /// - Returns: `nil` unless it is the attempt that ended that very token within the last ten minutes, and the session has its
    ///   token still.
    /// - Throws: `credentialRefused`, `sessionInvalid`, `userDisabled`, `proofRequired`, `proofRefused`, `proofReplayed`, `clockSkew`,
    ///   `rateLimited`, `busy`, `storageUnavailable`.
    package func again(
        _ attempt: Attempt, by credential: Credential, from address: ClientAddress, _ request: Authenticate.Request
    ) async throws(DomainError) -> Answer? {
        guard let token = request.token, let former = SessionToken.digest(of: token, in: .native),
            let made = try await self.made(by: attempt, after: former, in: request.application)
        else { return nil }
        try await authenticate.admit(
            Authenticated(
                application: made.application, session: made.session, user: made.user, tokenDigest: former),
            to: request)
        return try await answer(made, by: credential, from: address)
    }

    /// What an attempt made of the session of a former token.
    ///
    /// - Throws: `storageUnavailable`.
    func made(
        by attempt: Attempt, after former: SecretDigest, in application: Application
    ) async throws(DomainError) -> Made? {
        let now = clock.now
        return try await store.read { transaction throws(DomainError) -> Made? in
            guard let (session, user, renewed) = try transaction.session(refreshedFrom: former, in: application.id),
                session.protocolName == .native, now < renewed.at + Self.repetition
            else { return nil }
            // By another name, for another request or after another token it is none that counts.
            let token = self.token(of: attempt, renewed, for: user.id, in: application.id)
            let reference = SessionToken.reference(ofNew: token, for: user.id, in: .native)
            guard try transaction.session(token: reference, in: application.id)?.session.id == session.id else {
                return nil
            }
            return Made(session: session, user: user, application: application, token: token)
        }
    }

    /// - Throws: `credentialRefused`, `rateLimited`, `busy`, `storageUnavailable`.
    func answer(
        _ made: Made, by credential: Credential, from address: ClientAddress
    ) async throws(DomainError) -> Answer {
        // No digest of a password is kept, not even in a token: it is compared as it was the first time.
        if case .password(let password) = credential {
            let id = made.user.id
            let outcome = try await check(
                password.revealed, of: .own(made.user), in: made.application.id, from: address)
            let prover = try await store.write { transaction throws(DomainError) in
                try outcome.settle(in: transaction) { $0.id == id }
            }
            guard prover != nil else { throw .credentialRefused }
        }
        let rules = made.application.settings.sessionRules(of: protocols[made.session.protocolName])
        return Answer(
            session: made.session, token: made.token,
            freshUntil: (made.session.authenticatedAt ?? clock.now) + Session.freshness,
            idleLifetime: rules.idleLifetime)
    }

    /// The token that a named attempt makes, however often it is asked for: nobody makes it without the name, the request, and
    /// the key of this installation.
    func token(
        of attempt: Attempt, _ renewed: TokenRefresh, for user: Identifier<User>,
        in application: Identifier<Application>
    ) -> Secret {
        SessionToken.Draw(made: renewed.digest(by: hash, in: application, of: attempt)).token(of: user)
    }
}
