import Foundation

/// Turns a code of the pages into a session of the app. A code that comes twice was stolen: the session that it opened ends, and so
/// does the device's key that joined by it (requirement 30).
package struct RedeemAuthorizationCode: Sendable {
    /// Longer ones are nobody's.
    private static let maximumCodeBytes = 8192

    let store: any Store
    let clock: any WallClock
    let sealingKey: SealingKey
    let verifyProof: ProofVerifier
    let mintIdentityToken: MintIdentityToken
    let issuers: SessionIssuers

    package struct Request: Sendable {
        package var application: Application
        package var code: String
        package var redirect: String
        package var verifier: String
        /// Binds the session to the device's key, which joins the user when the person has just shown to be there, on the pages themselves.
        package var proof: PresentedProof?
        package var device: DeviceDescription
        package var address: ClientAddress
        package var origin: RequestOrigin

        package init(
            application: Application, code: String, redirect: String, verifier: String, proof: PresentedProof?,
            device: DeviceDescription = DeviceDescription(), address: ClientAddress, origin: RequestOrigin
        ) {
            self.application = application
            self.code = code
            self.redirect = redirect
            self.verifier = verifier
            self.proof = proof
            self.device = device
            self.address = address
            self.origin = origin
        }
    }

    package struct Redeemed: Sendable {
        package var logIn: LogIn
        package var scopes: [String]
        /// When `openid` is among the scopes.
        package var identityToken: Secret?
    }

    /// - Parameters:
    ///   - request: What the app sent.
    ///   - issuer: Who the identity token is from.
    /// - Returns: `nil` for a code that is wrong, used, too old, not this app's, or of a session that has ended, without saying which.
    /// - Throws: `proofRequired`, `proofRefused`, `proofReplayed`, `clockSkew`, `fieldsRefused`, `storageUnavailable`,
    ///   `secretUnreadable`.
    package func callAsFunction(_ request: Request, issuer: String) async throws(DomainError) -> Redeemed? {
        let (now, application) = (clock.now, request.application)
        if request.proof == nil, application.settings.proofRequired { throw .proofRequired }
        var proof: DeviceProof?
        if let presented = request.proof { proof = try verifyProof(presented, at: now) }
        let faults = request.device.faults(field: "device")
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        guard let grant = grant(request.code, in: application.id), grant.expiresAt > now.milliseconds,
            Secret(grant.redirect) == Secret(request.redirect), grant.fits(verifier: request.verifier)
        else { return nil }
        // The code itself names the attempt, so that the session that it opens can be found again.
        let attempt = Attempt(name: "authorization code \(request.code)", request: [])
        let mark = RateLimitKey(
            application: application.id, kind: "authorization-code", subject: Base64URL.text(of: attempt.digest.bytes))
        let source = grant.source
        let isFresh = source.isFresh(at: now)
        // A key that joins is another way in, for ever; a browser that was left open, a session of the pages that another
        // session opened, or a stolen one, opens none.
        let link = DeviceLink(
            proof: proof, joins: isFresh && !source.isDerived, by: source.method, in: application.id, now: now,
            audit: issuers.audit)
        let sessions = issuers.issuer(
            for: .init(
                application, .native, by: isFresh ? .pages : .keptPages,
                on: .init(deviceKey: proof?.thumbprint, device: request.device, address: request.address.text),
                attempt: attempt, record: .logIn(from: request.origin)
            ).derived(from: source, at: now),
            at: now)
        let id = Identifier<User>(rawValue: grant.user)
        let stolen = issuers.audit.excessDeviceKeys(in: application.id, at: now)
        let logIn = try await store.write { transaction throws(DomainError) -> LogIn? in
            let uses = try transaction.count(mark, window: IssueAuthorizationCode.life * 2, at: now).count
            guard let user = try transaction.user(id, in: application.id) else { return nil }
            guard uses <= 1 else {
                try transaction.endSession(openedBy: attempt, of: user, recording: sessions)
                try transaction.endKeys(joinedBy: attempt, of: user, recording: stolen)
                return nil
            }
            guard AccountGate.isOpen(to: user), user.credentialsVersion == grant.version ?? 0,
                try source.isOpen(of: user, in: transaction)
            else { return nil }
            try link.use(in: transaction)
            var joined = try link.joined(to: user, in: transaction)
            for identity in joined.identities where !user.identities.contains(identity) {
                _ = try transaction.markUsed(attempt.joining(identity, at: now), in: application.id)
            }
            if link.joins, source.hasRecentSecondFactor(at: now) {
                joined = try link.noteSecondFactor(of: joined, in: transaction)
            }
            // The session of the pages was the registration's; this one is the first of an app.
            return grant.isNew == true && user.previousLogInAt == nil
                ? try sessions.issue(toNew: joined, in: transaction) : try sessions.reissue(to: joined, in: transaction)
        }
        guard let logIn else { return nil }
        var token: Secret?
        if grant.scopes.contains("openid") {
            token = try await mintIdentityToken(
                for: logIn.user, session: logIn.session.id, grant, issuer: issuer, in: application)
        }
        return Redeemed(logIn: logIn, scopes: grant.scopes, identityToken: token)
    }

    private func grant(_ code: String, in application: Identifier<Application>) -> AuthorizationGrant? {
        guard code.utf8.count <= Self.maximumCodeBytes, let sealed = Base64URL.bytes(of: code.utf8),
            let bytes = try? sealingKey.open(sealed, purpose: AuthorizationGrant.purpose(application))
        else { return nil }  // Whatever is wrong with it, it is no code of ours.
        return try? JSONDecoder().decode(AuthorizationGrant.self, from: Data(bytes))
    }
}

extension Attempt {
    /// The mark that a key joined by the code that names the attempt.
    fileprivate func joining(_ key: Identity, at now: Timestamp) -> UsedProof {
        UsedProof(
            .attemptedRequest, SecretDigest(of: digest.bytes + Array("key \(key.subject)".utf8)),
            until: now + IssueAuthorizationCode.life * 2)
    }
}

extension Transaction {
    /// Ends the session that a code opened before it was sent once more. That is recorded when it ends the session: a code can
    /// be sent for ever.
    ///
    /// - Throws: `storageUnavailable`.
    fileprivate func endSession(
        openedBy attempt: Attempt, of user: User, recording sessions: SessionIssuer
    ) throws(DomainError) {
        guard let opened = try session(attempt: attempt.digest, of: user.id, in: user.application),
            try endForGood(opened.session.id, of: user.id, in: user.application)
        else { return }
        try sessions.refuse(user.id, by: .pages, in: self)
    }

    /// Ends device keys that joined a user by a code that was stolen: who has sent it first would come back by the key. They stay
    /// where nothing else leads to the user.
    ///
    /// - Throws: `storageUnavailable`.
    fileprivate func endKeys(
        joinedBy attempt: Attempt, of user: User, recording ready: ReadyChanges
    ) throws(DomainError) {
        var user = user
        let keys = user.identities.filter { $0.provider == .device }
        let marks = keys.map { attempt.joining($0, at: ready.now) }
        let joined = Set(try used(among: marks, in: user.application))
        let going = zip(keys, marks).filter { joined.contains($1) }.map(\.0)
        guard !going.isEmpty, try user.hasWayIn(without: withUsedIds(going, of: user), by: nil) else { return }
        try removeDeviceKeys(going, of: &user, because: .init(.deviceKeyRemoved), recording: ready)
        try removeNewAddressesOfEndedSessions(of: user)
    }
}

extension AuthorizationGrant {
    /// Whether the app is the one that asked: 43 to 128 characters whose SHA-256 it sent before (RFC 7636 §4.6).
    fileprivate func fits(verifier: String) -> Bool {
        guard (43...128).contains(verifier.utf8.count) else { return false }
        return Secret(PKCE.s256(of: verifier)) == Secret(challenge)
    }
}
