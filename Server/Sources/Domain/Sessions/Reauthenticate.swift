/// Proves again that the session's owner is there: then the session is fresh for ten minutes, and has a new token
/// (requirements 16, 18). A named attempt that is sent again because its response got lost gets the same token again
/// (decision 0194).
package struct Reauthenticate: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let protocols: ProtocolRegistry
    let check: PasswordCheck
    let tryCode: TryCode
    let verifiers: Verifiers
    let changes: AccountChanges
    let authenticate: Authenticate
    /// Makes the tokens of named attempts.
    let hash: KeyedHash

    /// Who finds out whose a credential is.
    struct Verifiers: Sendable {
        let identity: VerifyExternalIdentity
        let passkey: VerifyPasskey
        let secondFactor: SecondFactorCheck
    }

    /// What proves it.
    package enum Credential: Sendable {
        case password(Secret)
        /// A one-time code that was mailed, with the ticket of its order.
        case code(String, ticket: String)
        /// What a provider gave for an identity that is linked.
        case provider(Identity.Provider, ProviderCredential)
        case passkey(PasskeyAssertion)
        /// The code of an authenticator app.
        case totp(String)
        case recoveryCode(String)
        /// A proof by the session's key, which was checked when the request came in. It counts when the key leads to the user.
        case deviceKey

        fileprivate var name: String {
            switch self {
            case .password: Session.LogInMethod.password.rawValue
            case .code: Session.LogInMethod.code.rawValue
            case .provider(let provider, _): provider.rawValue
            case .passkey: Session.LogInMethod.passkey.rawValue
            case .totp: SecondFactorChallenge.Factor.totp.rawValue
            case .recoveryCode: SecondFactorChallenge.Factor.recoveryCode.rawValue
            case .deviceKey: Identity.Provider.device.rawValue
            }
        }

        fileprivate func methods(_ passkey: VerifiedPasskey?) -> AuthenticationMethods {
            switch self {
            case .password: .password
            case .code: .code
            case .provider: .provider
            case .passkey: passkey?.methods ?? []
            case .totp: .timeBasedCode
            case .recoveryCode: .recoveryCode
            case .deviceKey: .deviceKey
            }
        }
    }

    package struct Answer: Sendable {
        package var session: Session
        /// The only time that the token is returned. The one before is not valid any more.
        package var token: Secret
        package var freshUntil: Timestamp
        package var idleLifetime: Duration
    }

    /// - Parameters:
    ///   - credential: What was shown.
    ///   - address: Where the request came from.
    ///   - who: Whose session it is.
    ///   - origin: Where the request came from, for the audit log.
    ///   - attempt: The attempt by its name, with what it asks; `nil` for one that is not sent again.
    /// - Returns: the session, fresh, and its new token.
    /// - Throws: `credentialRefused`, also for a device key when the user has something better to prove by or the key does not lead to the user, and for
    ///   anybody else's code or identity; `codeRefused`, what a provider refuses, `passkeyUnknown`, `passkeyRefused`, `secondFactorUnknown`, `sessionInvalid` when the session ended
    ///   meanwhile, `transferUnconfirmed` for the key of a guest's device that joined by a transfer code a moment ago, `rateLimited`,
    ///   `busy`, `storageUnavailable`.
    package func callAsFunction(
        by credential: Credential, from address: ClientAddress, _ who: Authenticated, origin: RequestOrigin,
        attempt: Attempt? = nil
    ) async throws(DomainError) -> Answer {
        do throws(DomainError) {
            return try await prove(by: credential, from: address, who, origin: origin, attempt)
        } catch {
            // It may have been on its way twice: the other one has the token of before by now, and what counts once.
            guard let attempt,
                let made = try await self.made(by: attempt, after: who.tokenDigest, in: who.application)
            else { throw error }
            return try await answer(made, by: credential, from: address)
        }
    }

    private func prove(
        by credential: Credential, from address: ClientAddress, _ who: Authenticated, origin: RequestOrigin,
        _ attempt: Attempt?
    ) async throws(DomainError) -> Answer {
        let entry = changes.audit.draft(
            .reauthenticated, by: .user(who.user.id), in: who.application.id, from: origin)
        var session = who.session
        let profile = protocols[session.protocolName]
        var verified: VerifiedPasskey?
        if case .passkey(let assertion) = credential {
            verified = try await verifiers.passkey(assertion, in: who.application)
        }
        session.prove(by: credential.methods(verified), at: clock.now)
        switch credential {
        case .totp, .recoveryCode: session.secondFactorAt = clock.now
        // A passkey that recognised its user is two factors.
        case .passkey where verified?.methods.areTwoFactors == true: session.secondFactorAt = clock.now
        case .password, .code, .provider, .passkey, .deviceKey: break
        }
        let token: Secret
        var renewed: TokenRefresh?
        // Other protocols have tokens of other forms.
        if let attempt, session.protocolName == .native {
            let made = TokenRefresh(
                former: who.tokenDigest, seed: randomness.bytes(32), at: clock.now, end: session.expiresAt)
            token = self.token(of: attempt, made, for: session.user, in: session.application)
            renewed = made
        } else {
            token = SessionToken.Draw(profile.token, randomness).token(of: session.user)
        }
        let renewal = Renewal(
            session: session, token: token, renewed: renewed,
            before: SessionToken.Reference(who.tokenDigest, of: session.user), entry: entry, method: credential.name)
        let isProven = try await settle(credential, verified, renewal, who, from: address, origin: origin)
        guard isProven else { throw .credentialRefused }
        return Answer(
            session: renewal.session, token: renewal.token, freshUntil: clock.now + Session.freshness,
            idleLifetime: who.application.settings.sessionRules(of: profile).idleLifetime)
    }

    /// Lets a credential count, and renews the session in the same transaction when it is the user's.
    ///
    /// - Parameters:
    ///   - credential: What was shown.
    ///   - verified: The passkey of it, checked.
    ///   - renewal: What is written then.
    ///   - who: Whose session it is.
    ///   - address: Where the request came from.
    ///   - origin: The same, for the audit log.
    /// - Returns: whether it is the user's.
    /// - Throws: as the call above.
    private func settle(
        _ credential: Credential, _ verified: VerifiedPasskey?, _ renewal: Renewal, _ who: Authenticated,
        from address: ClientAddress, origin: RequestOrigin
    ) async throws(DomainError) -> Bool {
        let (user, application) = (who.user, who.application.id)
        switch credential {
        case .password(let password):
            guard user.hasPassword else { throw .credentialRefused }
            let outcome = try await check(
                password.revealed, of: .own(user), in: application, from: address)
            return try await store.write { transaction throws(DomainError) in
                let prover = try outcome.settle(in: transaction) { $0.id == user.id }
                return try renewal.write(by: prover?.id, in: transaction)
            }
        case .code(let code, let ticket):
            let presented = TryCode.Presented(
                .logInCode, in: application, .ticket(ticket), code, from: address, refusal: renewal.entry)
            return try await tryCode(presented) { _, owner, transaction throws(DomainError) in
                try renewal.write(by: owner.id, in: transaction)
            }
        case .provider(let provider, let credential):
            let person = try await verifiers.identity(provider, credential, in: application)
            return try await store.write { transaction throws(DomainError) in
                let owner = try transaction.user(for: person, in: application)
                try transaction.markUsed(person.replay, in: application)
                return try renewal.write(by: owner?.id, in: transaction)
            }
        case .passkey:
            guard let passkey = verified else { throw .credentialRefused }
            return try await store.write { transaction throws(DomainError) in
                guard
                    case .proven(let owner) = try passkey.use(
                        of: try passkey.owner(in: transaction), in: transaction)
                else {
                    return try renewal.write(by: nil, in: transaction)
                }
                return try renewal.write(by: owner.id, in: transaction)
            }
        case .totp(let code):
            return try await shows(.totp(code), who, renewal, from: address, origin: origin)
        case .recoveryCode(let code):
            return try await shows(.recoveryCode(code), who, renewal, from: address, origin: origin)
        case .deviceKey:
            guard Session.LogInMethod.automatic.provesPresence(of: user) else { throw .credentialRefused }
            try who.requireConfirmed(user, at: clock.now)
            return try await store.write { transaction throws(DomainError) in
                // Read anew: the key may have been removed, or the guest have something better since.
                guard let guest = try transaction.user(user.id, in: application) else { throw .userUnknown }
                return try renewal.write(by: who.session.isShownByKey(guest) ? guest.id : nil, in: transaction)
            }
        }
    }

    private func shows(
        _ shown: SecondFactorCheck.Shown, _ who: Authenticated, _ renewal: Renewal, from address: ClientAddress,
        origin: RequestOrigin
    ) async throws(DomainError) -> Bool {
        let (now, check, application) = (clock.now, verifiers.secondFactor, who.application.id)
        guard who.user.hasSecondFactor else { throw .secondFactorUnknown }
        try await check.count(from: address, in: application)
        var used: ReadyChanges?
        if case .recoveryCode = shown {
            used = try changes.ready(
                [.recoveryCodeUsed], of: who.user, in: who.application,
                by: .unknown(showing: .secondFactor, from: origin), at: now)
        }
        let ready = used
        return try await store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(who.user.id, in: application) else { throw .userUnknown }
            guard try check(shown, of: user, from: .known, in: transaction, at: now) else {
                return try renewal.write(by: nil, in: transaction)
            }
            try ready?.settle(
                [.recoveryCodeUsed: [:]], of: &user, keeping: .nothing, by: .owner(user.id), in: transaction)
            return try renewal.write(by: user.id, in: transaction)
        }
    }

    /// A session that shall be fresh.
    private struct Renewal: Sendable {
        let session: Session
        let token: Secret
        /// How the token was made, where it can be made again.
        let renewed: TokenRefresh?
        let before: SessionToken.Reference
        let entry: AuditDraft
        let method: String

        /// - Returns: whether the session's own user is who proved it; the refusal of another one stands in the audit log.
        func write(by prover: Identifier<User>?, in transaction: any Transaction) throws(DomainError) -> Bool {
            let (target, details) = (AuditEntry.Target.user(session.user), ["method": method])
            guard prover == session.user else {
                try entry.record(on: target, result: .refused, details: details, in: transaction)
                return false
            }
            guard try transaction.session(token: before, in: session.application) != nil else { throw .sessionInvalid }
            let reference = SessionToken.reference(ofNew: token, for: session.user, in: session.protocolName)
            try transaction.updateAuthentication(of: session, token: reference)
            if let renewed { try transaction.refreshToken(of: session, with: reference, after: renewed) }
            try entry.record(on: target, details: details, in: transaction)
            return true
        }
    }
}
