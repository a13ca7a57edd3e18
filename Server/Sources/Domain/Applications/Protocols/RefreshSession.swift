/// Gives a session another token for a refresh token, in protocols that have those. The old pair dies at once.
///
/// A refresh token is no record of its own: it is the digest of the token that it stands beside, with a code that only this
/// installation can make. So it is worthless as soon as the session has another token, or none.
package struct RefreshSession: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let protocols: ProtocolRegistry
    let hash: KeyedHash
    let activity: SessionActivity

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
    ///   - expiresAt: When the new token shall end, if earlier than usual.
    /// - Returns: the new pair.
    /// - Throws: `sessionInvalid` for a refresh token that is nobody's, was used or belongs to an ended session, and where
    ///   the application refreshes no tokens; `userDisabled`, `userDeleted`, `fieldsRefused` for an end in the past,
    ///   `storageUnavailable`.
    package func callAsFunction(
        _ refreshToken: Secret, in application: Application, of protocolName: Session.ProtocolName,
        expiresAt: Timestamp?
    ) async throws(DomainError) -> Refreshed {
        let now = clock.now
        let (settings, profile) = (application.settings, protocols[protocolName])
        guard let span = settings.foreignOptions(of: protocolName).refreshedTokenLifetime else { throw .sessionInvalid }
        if let expiresAt, expiresAt <= now {
            throw .fieldsRefused([ValidationError(field: "expiresAt", rule: .inThePast)])
        }
        let text = refreshToken.revealed
        guard text.utf8.count <= Self.maximumTokenBytes else { throw .sessionInvalid }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let bytes = Base64URL.bytes(of: parts[0].utf8),
            let digest = SecretDigest(stored: bytes),
            Secret(String(parts[1])) == Secret(code(of: digest, in: application.id))
        else { throw .sessionInvalid }
        let end = min(expiresAt ?? now + span, now + span)
        let draw = SessionToken.Draw(profile.token, randomness)
        let idle = settings.sessionRules(of: profile).idleLifetime
        let (user, token) = try await store.write {
            transaction throws(DomainError) -> (Identifier<User>, Secret) in
            guard
                let (session, user) = try transaction.session(
                    token: SessionToken.Reference(digest), in: application.id),
                session.protocolName == protocolName,
                !session.isExpired(at: now, idleLifetime: idle, lastUsedAt: activity.lastUse(of: session))
            else { throw .sessionInvalid }
            _ = try AccountGate.admit(user, to: application, restoration: nil, in: transaction)
            let token = SessionToken.limited(draw.token(of: user.id), until: end)
            try transaction.replaceToken(of: session, with: SessionToken.Reference(token.digest))
            return (user.id, token)
        }
        return Refreshed(
            user: user, token: token, refreshToken: self.token(for: token, in: application.id),
            lifeInSeconds: (end - now).components.seconds)
    }

    private func code(of digest: SecretDigest, in application: Identifier<Application>) -> String {
        Base64URL.text(of: hash.digest(of: [Array(application.rawValue.utf8), digest.bytes]).bytes)
    }
}
