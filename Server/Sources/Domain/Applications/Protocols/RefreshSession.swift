/// Gives a session another token for a refresh token, in protocols that have those. The old token dies at once.
///
/// A refresh token is no record of its own: it is the digest of the token that it stands beside, with a code that only this
/// installation can make. Within ten minutes it gives the same pair again, for a client that got no response; later its return
/// ends the session (requirement 15, decision 0181). It is worthless as soon as the new pair was refreshed too.
package struct RefreshSession: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let protocols: ProtocolRegistry
    let hash: KeyedHash
    let activity: SessionActivity
    let audit: AuditTrail

    /// How long a refresh that comes again gets the same pair.
    package static let repetition: Duration = .seconds(600)

    /// Longer ones are nobody's: two times 32 bytes in base64url.
    private static let maximumTokenBytes = 100

    /// A new pair.
    package struct Refreshed: Sendable {
        package var user: Identifier<User>
        package var token: Secret
        package var refreshToken: Secret
        package var lifeInSeconds: Int64
    }

    /// Whether a token has its end in its text, and that is past.
    package func isOver(_ token: some StringProtocol) -> Bool {
        SessionToken.end(of: token).map { clock.now >= $0 } ?? false
    }

    /// The refresh token beside a token.
    package func token(for token: Secret, in application: Identifier<Application>) -> Secret {
        let digest = token.digest
        return Secret("\(Base64URL.text(of: digest.bytes)).\(code(of: digest, in: application))")
    }

    /// - Parameters:
    ///   - refreshToken: What the client kept.
    ///   - application: Where.
    ///   - protocolName: The session's protocol.
    ///   - expiresAt: When the new token shall end, if earlier than usual. A pair that is sent again keeps its end.
    ///   - origin: Where the request came from, for the audit log.
    /// - Returns: the new pair.
    /// - Throws: `sessionInvalid` for a refresh token that is nobody's, was used ten minutes ago or belongs to an ended session,
    ///   and where the application refreshes no tokens; `userDisabled`, `userDeleted`, `fieldsRefused` for an end in the past,
    ///   `storageUnavailable`.
    package func callAsFunction(
        _ refreshToken: Secret, in application: Application, of protocolName: Session.ProtocolName,
        expiresAt: Timestamp?, from origin: RequestOrigin
    ) async throws(DomainError) -> Refreshed {
        let now = clock.now
        let (settings, profile) = (application.settings, protocols[protocolName])
        guard let span = settings.foreignOptions(of: protocolName).refreshedTokenLifetime else { throw .sessionInvalid }
        if let expiresAt, expiresAt <= now {
            throw .fieldsRefused([ValidationError(field: "expiresAt", rule: .inThePast)])
        }
        let text = refreshToken.revealed
        guard text.utf8.count <= Self.maximumTokenBytes else { throw .sessionInvalid }
        let parts = text.pieces(at: ".", keepsEmpty: true)
        guard parts.count == 2, let bytes = Base64URL.bytes(of: parts[0].utf8),
            let digest = SecretDigest(stored: bytes),
            Secret(String(parts[1])) == Secret(code(of: digest, in: application.id))
        else { throw .sessionInvalid }
        let fresh = TokenRefresh(
            former: digest, seed: randomness.bytes(32), at: now, end: min(expiresAt ?? now + span, now + span))
        let token = self.token(made: fresh, in: application.id)
        let idle = settings.sessionRules(of: profile).idleLifetime
        let ending = audit.draft(.sessionEnded, by: .unknown, in: application.id, from: origin)
        let made = try await store.write { transaction throws(DomainError) -> (Identifier<User>, TokenRefresh)? in
            if let (session, user) = try transaction.session(
                token: SessionToken.Reference(digest), in: application.id)
            {
                guard isAlive(session, of: protocolName, at: now, idleLifetime: idle) else { throw .sessionInvalid }
                _ = try AccountGate.admit(user, to: application, restoration: nil, in: transaction)
                try transaction.refreshToken(of: session, with: SessionToken.Reference(token.digest), after: fresh)
                return (user.id, fresh)
            }
            guard let (session, user, before) = try transaction.session(refreshedFrom: digest, in: application.id),
                isAlive(session, of: protocolName, at: now, idleLifetime: idle)
            else { throw .sessionInvalid }
            guard now < before.at + Self.repetition else {
                // Somebody has a copy: of the two who have it, nobody can say which is the owner.
                if try transaction.endForGood(session.id, of: user.id, in: application.id) {
                    let details = ["session": session.id.rawValue, "refresh-token": "reused"]
                    try ending.record(on: .user(user.id), details: details, in: transaction)
                }
                return nil
            }
            _ = try AccountGate.admit(user, to: application, restoration: nil, in: transaction)
            return (user.id, before)
        }
        guard let (user, refresh) = made else { throw .sessionInvalid }
        let pair = self.token(made: refresh, in: application.id)
        return Refreshed(
            user: user, token: pair, refreshToken: self.token(for: pair, in: application.id),
            // A pair that is sent again may have a token that is over: it is refreshed next.
            lifeInSeconds: max(0, (refresh.end - now).components.seconds))
    }

    private func isAlive(
        _ session: Session, of protocolName: Session.ProtocolName, at now: Timestamp, idleLifetime: Duration
    ) -> Bool {
        session.protocolName == protocolName
            && !session.isExpired(at: now, idleLifetime: idleLifetime, lastUsedAt: activity.lastUse(of: session))
    }

    /// The token that a refresh makes, however often it is asked for.
    private func token(made refresh: TokenRefresh, in application: Identifier<Application>) -> Secret {
        let digest = refresh.digest(by: hash, in: application)
        return SessionToken.limited(Secret(Base64URL.text(of: digest.bytes)), until: refresh.end)
    }

    private func code(of digest: SecretDigest, in application: Identifier<Application>) -> String {
        Base64URL.text(of: hash.digest(of: [Array(application.rawValue.utf8), digest.bytes]).bytes)
    }
}

/// What makes a session's present token, which took a former one's turn, once more: without the key of the installation it is
/// worth nothing.
package struct TokenRefresh: Hashable, Sendable {
    /// Of the token before.
    package var former: SecretDigest
    /// Random bytes.
    package var seed: [UInt8]
    package var at: Timestamp
    /// When the token ends.
    package var end: Timestamp

    package init(former: SecretDigest, seed: [UInt8], at: Timestamp, end: Timestamp) {
        self.former = former
        self.seed = seed
        self.at = at
        self.end = end
    }

    /// What the token is made of, the same however often it is asked for.
    ///
    /// - Parameters:
    ///   - hash: Has the key of the installation.
    ///   - application: Where the session is.
    ///   - attempt: The attempt whose name and request belong to the token; `nil` where it has none.
    /// - Returns: what nobody else can make.
    func digest(
        by hash: KeyedHash, in application: Identifier<Application>, of attempt: Attempt? = nil
    ) -> SecretDigest {
        let asked: [[UInt8]?] = attempt.map { [$0.digest.bytes, $0.request.bytes] } ?? []
        return hash.digest(of: [Array(application.rawValue.utf8), former.bytes, seed] + asked)
    }
}
