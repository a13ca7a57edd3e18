/// Proves again that the session's owner is there: then the session is fresh for ten minutes, and has a new token
/// (requirements 16, 18).
package struct Reauthenticate: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let check: PasswordCheck

    /// What proves it.
    package enum Credential: Sendable {
        case password(Secret)
        /// A proof by the session's key, which was checked when the request came in.
        case deviceKey
    }

    package struct Answer: Sendable {
        package var session: Session
        /// The only time that the token is told. The one before is not valid any more.
        package var token: Secret
        package var freshUntil: Timestamp
        package var idleLifetime: Duration
    }

    /// - Throws: `credentialRefused`, also for a device key when the user has something better to prove by;
    ///   `sessionInvalid` when the session ended meanwhile, `rateLimited`, `busy`, `storageUnavailable`.
    package func callAsFunction(
        by credential: Credential, from address: ClientAddress, _ who: Authenticated
    ) async throws(DomainError) -> Answer {
        let (user, application) = (who.user, who.application.id)
        var outcome: PasswordCheck.Outcome?
        switch credential {
        case .password(let password):
            guard user.hasPassword else { throw .credentialRefused }
            outcome = try await check(password.revealed, of: user.typedIdentifiers, in: application, from: address)
        case .deviceKey:
            guard Session.LogInMethod.automatic.provesPresence(of: user) else { throw .credentialRefused }
        }
        let now = clock.now
        var session = who.session
        session.authenticatedAt = now
        let token = SessionToken.new(randomness, for: who.session.protocolName)
        let (fresh, settled, before) = (session, outcome, who.tokenDigest)
        let isProven = try await store.write { transaction throws(DomainError) in
            if let settled, try settled.settle(in: transaction)?.id != user.id { return false }
            guard try transaction.session(token: before, in: application) != nil else { throw .sessionInvalid }
            try transaction.updateAuthentication(of: fresh, token: token.digest)
            return true
        }
        guard isProven else { throw .credentialRefused }
        return Answer(
            session: fresh, token: token, freshUntil: now + Session.freshness,
            idleLifetime: who.application.settings.sessionRules(of: session.protocolName).idleLifetime)
    }
}
