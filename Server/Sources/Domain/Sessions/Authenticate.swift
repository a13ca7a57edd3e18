/// Finds out who makes a request: session token to user. The hot path: a hit in the cache neither waits nor asks.
package struct Authenticate: Sendable {
    let store: any Store
    let clock: any WallClock
    let protocols: ProtocolRegistry
    let cache: SessionCache
    let activity: SessionActivity
    let verifyProof: ProofVerifier

    package struct Request: Sendable {
        package var application: Application
        /// The token as sent; `nil` when none was.
        package var token: Substring?
        /// Builds the proof that came with the request, only when there is one.
        package var proof: PresentedProof?
        /// The protocol of the request. A session counts only in the one that opened it.
        package var protocolName: Session.ProtocolName

        package init(
            application: Application, token: Substring?, proof: PresentedProof?,
            protocolName: Session.ProtocolName
        ) {
            self.application = application
            self.token = token
            self.proof = proof
            self.protocolName = protocolName
        }

        /// Whether a proof must come with it. Foreign protocols have none.
        var needsProof: Bool { protocolName == .native && application.settings.proofRequired }
    }

    /// Who it is, when the cache knows it and no proof needs checking: nothing is waited for and nobody is asked.
    ///
    /// - Parameters:
    ///   - request: What was sent.
    ///   - address: Where it came from; asked only when the use is written down.
    /// - Returns: `nil` when the whole way has to be gone.
    /// - Throws: `sessionRequired`, `sessionInvalid`, `userDisabled`.
    package func atOnce(
        _ request: Request, from address: () -> ClientAddress
    ) throws(DomainError) -> Authenticated? {
        guard let token = request.token else { throw .sessionRequired }
        guard let digest = SessionToken.digest(of: token, in: request.protocolName) else { throw .sessionInvalid }
        guard request.proof == nil, !request.needsProof,
            let found = cache.entry(for: digest)
        else { return nil }
        let now = clock.now
        guard !isOver(found, for: request, at: now) else { return nil }
        do throws(DomainError) {
            try checkUse(of: found, for: request, at: now)
        } catch {
            noteRefusedUse(of: found, because: error, for: request, at: now, from: address)
            throw error
        }
        noteUse(of: found, at: now, from: address)
        return found
    }

    /// Who it is.
    ///
    /// - Parameters:
    ///   - request: What was sent.
    ///   - address: Where it came from; asked only when the use is written down.
    /// - Returns: session, user and application.
    /// - Throws: `sessionRequired`, `sessionInvalid`, `userDisabled`, `proofRequired`, `proofRefused`,
    ///   `proofReplayed`, `clockSkew`, `storageUnavailable`.
    package func callAsFunction(
        _ request: Request, from address: () -> ClientAddress
    ) async throws(DomainError) -> Authenticated {
        if let found = try atOnce(request, from: address) { return found }
        guard let token = request.token else { throw .sessionRequired }
        guard let digest = SessionToken.digest(of: token, in: request.protocolName) else { throw .sessionInvalid }
        let now = clock.now
        let found: Authenticated
        if let kept = cache.entry(for: digest), !isOver(kept, for: request, at: now) {
            found = kept
        } else {
            guard let reference = SessionToken.reference(of: token, in: request.protocolName) else {
                throw .sessionInvalid
            }
            found = try await lookUp(reference, in: request.application)
        }
        do throws(DomainError) {
            try checkLife(of: found, for: request, at: now)
        } catch {
            noteRefusedUse(of: found, because: error, for: request, at: now, from: address)
            throw error
        }
        try checkKey(of: found, for: request)
        if request.proof != nil || request.needsProof {
            try await check(request.proof, of: found, token: Secret(String(token)), at: now)
        }
        noteUse(of: found, at: now, from: address)
        return found
    }

    /// Whether a session has ended by age or by disuse, as far as is known here. Of one in the cache another node may know a later
    /// use, of which nobody hears: before it is refused, the database is asked.
    private func isOver(_ found: Authenticated, for request: Request, at now: Timestamp) -> Bool {
        found.session.isExpired(
            at: now, idleLifetime: idleLifetime(of: request.protocolName, in: request.application),
            lastUsedAt: found.lastUsedAt)
    }

    private func checkLife(
        of found: Authenticated, for request: Request, at now: Timestamp
    ) throws(DomainError) {
        guard !isOver(found, for: request, at: now) else { throw .sessionInvalid }
        try checkUse(of: found, for: request, at: now)
    }

    /// Whether a session that is not over counts for a request.
    private func checkUse(
        of found: Authenticated, for request: Request, at now: Timestamp
    ) throws(DomainError) {
        // Some tokens of other protocols say themselves when they end, which may be before their session.
        if request.protocolName != .native, let end = request.token.flatMap({ SessionToken.end(of: $0) }), now >= end {
            throw .sessionInvalid
        }
        guard found.application.id == request.application.id, found.session.protocolName == request.protocolName
        else { throw .sessionInvalid }
        guard !found.user.isDisabled else { throw .userDisabled }
    }

    private func checkKey(of found: Authenticated, for request: Request) throws(DomainError) {
        guard found.session.canProve(in: request.application) else { throw .sessionInvalid }
    }

    /// How long a session may rest.
    func idleLifetime(of name: Session.ProtocolName, in application: Application) -> Duration {
        let settings = application.settings
        return name == .native
            ? settings.sessionIdleLifetime : settings.sessionRules(of: protocols[name]).idleLifetime
    }

    /// Sees to it that a session counts for a request that named it by a token of before.
    ///
    /// - Throws: as the call, for a token that leads to the session.
    func admit(_ found: Authenticated, to request: Request) async throws(DomainError) {
        guard let token = request.token else { throw .sessionRequired }
        let now = clock.now
        _ = found.noteUse(at: activity.lastUse(of: found.session), resolution: .zero)
        try checkLife(of: found, for: request, at: now)
        try checkKey(of: found, for: request)
        guard request.proof != nil || request.needsProof else { return }
        try await check(request.proof, of: found, token: Secret(String(token)), at: now)
    }

    /// The session of a token, for who asks about it or ends it: without a proof, and without noting a use.
    ///
    /// - Parameters:
    ///   - token: Any text.
    ///   - application: Whose sessions are known here.
    ///   - protocolName: The protocol that the token is of.
    ///   - isEnding: Whether it is to end. One counts then that is there and will count again: one that lacks the key that the
    ///     application wants by now, and one whose user is kept out.
    /// - Returns: `nil` for every text that is no session of the application now.
    /// - Throws: `storageUnavailable`.
    func session(
        of token: Substring, in application: Application, protocolName: Session.ProtocolName = .native,
        isEnding: Bool = false
    ) async throws(DomainError) -> Authenticated? {
        guard let reference = SessionToken.reference(of: token, in: protocolName) else { return nil }
        let (request, now) = (
            Request(application: application, token: token, proof: nil, protocolName: protocolName), clock.now
        )
        do throws(DomainError) {
            let found: Authenticated
            if let kept = cache.entry(for: reference.digest), !isOver(kept, for: request, at: now) {
                found = kept
            } else {
                found = try await lookUp(reference, in: application)
            }
            do throws(DomainError) {
                try checkLife(of: found, for: request, at: now)
            } catch {
                // Who is kept out is found out last: all else of the session holds.
                guard isEnding, error == .userDisabled else { throw error }
            }
            if !isEnding { try checkKey(of: found, for: request) }
            return found
        } catch {
            switch error {
            case .sessionInvalid, .userDisabled: return nil
            default: throw error
            }
        }
    }

    /// Sees to it that who was found out to make a request may make it still: its body, or a hook, may have taken its time. What is in
    /// the cache holds; the database is asked for the rest alone.
    ///
    /// - Throws: `sessionInvalid` when the session has ended, or its user is kept out, since the request came in; `storageUnavailable`.
    func requireStill(_ who: Authenticated) async throws(DomainError) {
        if let kept = cache.entry(for: who.tokenDigest), kept.session.id == who.session.id, !kept.user.isDisabled {
            return
        }
        let isThere = try await store.read { transaction throws(DomainError) in
            guard let user = try transaction.user(who.user.id, in: who.application.id), !user.isDisabled else {
                return false
            }
            return try who.hasSession(in: transaction)
        }
        guard isThere else { throw .sessionInvalid }
    }

    /// Notes the use of a session that stays although its user is kept out: it may be all that leads to the user (`evict`), and does
    /// not end by disuse as long as the app asks.
    private func noteRefusedUse(
        of found: Authenticated, because error: DomainError, for request: Request, at now: Timestamp,
        from address: () -> ClientAddress
    ) {
        guard error == .userDisabled, request.proof == nil, !request.needsProof else { return }
        noteUse(of: found, at: now, from: address)
    }

    private func noteUse(of found: Authenticated, at now: Timestamp, from address: () -> ClientAddress) {
        guard let before = found.noteUse(at: now, resolution: SessionActivity.resolution) else { return }
        // A session of another service counts as used when it was brought, by nobody: no log-in has noted that day.
        let isFirstHere = found.session.address == nil && before == found.session.lastUsedAt
        activity.note(
            SessionTouch(
                id: found.session.id, user: found.user.id, application: found.application.id, at: now,
                address: address().text, isFirstOfDay: isFirstHere || before.day != now.day))
        // A guest who comes back after so long can be erased, by any node, before the next round would write that.
        if found.user.isAnonymous, let limit = found.application.settings.anonymousIdleLimit,
            now - before >= limit / 2
        {
            activity.signal.ring()
        }
    }

    private func lookUp(
        _ token: SessionToken.Reference, in application: Application
    ) async throws(DomainError) -> Authenticated {
        let ticket = cache.ticket()
        let found = try await store.read { transaction throws(DomainError) -> Authenticated? in
            guard let row = try transaction.session(token: token, in: application.id) else { return nil }
            return Authenticated(
                application: application, session: row.session, user: row.user, tokenDigest: token.digest,
                transfers: try transaction.transfers(of: row.user.id, in: application.id))
        }
        guard let found else { throw .sessionInvalid }
        // What was read may be older than a use that waits to be written.
        _ = found.noteUse(at: activity.lastUse(of: found.session), resolution: .zero)
        cache.insert(found, readAfter: ticket)
        return found
    }

    /// The proof must be signed by the key that opened the session, name this token, and be new (RFC 9449 §7.1).
    private func check(
        _ presented: PresentedProof?, of found: Authenticated, token: Secret, at now: Timestamp
    ) async throws(DomainError) {
        guard let presented else { throw .proofRequired }
        let proof = try verifyProof(presented, token: token, at: now)
        guard proof.thumbprint == found.session.deviceKey else { throw .proofRefused(.otherKey) }
        let isFirstUse = try await store.writeStatement { transaction throws(DomainError) in
            try transaction.markUsed(proof)
        }
        guard isFirstUse else { throw .proofReplayed }
    }
}
