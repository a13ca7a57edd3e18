/// Gives a user another password, or a first one, ends every other way into the account, and tells the user by mail
/// (requirements 5, 49).
package struct ChangePassword: Sendable {
    let store: any Store
    let clock: any WallClock
    let prepareCredential: PrepareCredential
    let check: PasswordCheck
    let changes: AccountChanges
    let protocols: ProtocolRegistry
    let randomness: any Randomness

    /// What became of it.
    package struct Changed: Sendable {
        /// How many other sessions ended.
        package var ended: Int
        /// The session's new token, where one was wished: a copy of the one before leads nowhere.
        package var token: Secret?
    }

    package struct Request: Sendable {
        /// The present password; `nil` when the session shows that its owner is there.
        package var current: Secret?
        package var new: Secret
        package var address: ClientAddress
        package var rules: AccountRules
        /// Whether a session is enough when the present password cannot be compared: a user who was imported has one whose
        /// hash nobody handed out.
        package var replacesUnknown: Bool
        /// Whether the session of the request stays; in protocols whose apps log in again it ends too.
        package var keepsSession: Bool
        /// Whether the session of the request has another token from now on, as where its owner proves to be there again
        /// (requirement 16): by the present password, or before a first one. Apps prove that before, by a request of its own.
        package var renewsToken = false
        /// Where the request came from, for the audit log.
        package var origin: RequestOrigin

        package init(
            current: Secret?, new: Secret, address: ClientAddress, rules: AccountRules,
            keepsSession: Bool = true, replacesUnknown: Bool = false, origin: RequestOrigin
        ) {
            self.current = current
            self.new = new
            self.address = address
            self.rules = rules
            self.keepsSession = keepsSession
            self.replacesUnknown = replacesUnknown
            self.origin = origin
        }
    }

    /// - Parameters:
    ///   - request: What is asked for.
    ///   - who: The user.
    ///   - isProven: Whether the request came with a proof by the session's key; see `AccountAuthor`.
    /// - Returns: how many other sessions ended, and the new token.
    /// - Throws: `credentialRefused` for a wrong present password, `reauthenticationRequired` without one on a session
    ///   that is not fresh, `sessionInvalid` when it has ended or has another token by now, `fieldsRefused`, `rateLimited`,
    ///   `busy`, `userUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ request: Request, by who: Authenticated, isProven: Bool
    ) async throws(DomainError) -> Changed {
        let now = clock.now
        let (user, application) = (who.user, who.application)
        let kept = request.keepsSession ? KeptAccess(who) : .nothing
        var author = AccountAuthor.owner(who, isProven: isProven, from: request.origin)
        // It is compared below, and nothing is written when it is wrong.
        if request.current != nil { author = author.showing(.currentPassword) }
        try author.requireProof(of: .passwordChanged, at: now)
        // Nobody could log in by a password alone.
        let faults =
            user.typedIdentifiers.isEmpty
            ? [ValidationError(field: "", rule: .noneOf(LogInIdentifier.Kind.allCases.map(\.rawValue)))] : []
        let new = try PasswordRules(for: application, user: user, rules: request.rules)
            .check(request.new, field: "newPassword", beside: faults)
        let isUnknown = try await replacesUnknown(request, of: who)
        let outcome = try await isUnknown ? nil : compare(request, of: who)
        // Where the one before is unknown, none was shown.
        if isUnknown { author = .owner(who, isProven: isProven, from: request.origin) }
        let ready = try changes.ready(
            [.passwordChanged], of: user, in: application, by: author, at: now)
        // Before anything else can be wrong, lest a guess count or not by what the new password is.
        if let outcome, outcome.isRefused {
            try await store.write { transaction throws(DomainError) in
                _ = try outcome.settle(in: transaction, isMeant: { $0.id == user.id })
                try ready.refuse(.passwordChanged, of: user.id, in: transaction)
            }
            throw .credentialRefused
        }
        let credential = try await prepareCredential(.passwordChanged, to: new, of: user, by: author)
        let renewal = renewal(for: request, by: who, at: now)
        let ended = try await store.write { transaction throws(DomainError) -> Int? in
            if let outcome, try outcome.settle(in: transaction, isMeant: { $0.id == user.id }) == nil {
                try ready.refuse(.passwordChanged, of: user.id, in: transaction)
                return nil
            }
            if isUnknown, try transaction.passwordHash(of: user.id, in: application.id) != nil {
                try ready.refuse(.passwordChanged, of: user.id, in: transaction)
                return nil
            }
            guard var present = try transaction.user(user.id, in: application.id) else { throw .userUnknown }
            let evicted = try credential.store(for: &present, with: ready, keeping: kept, by: nil, in: transaction)
            if let renewal {
                let before = SessionToken.Reference(who.tokenDigest, of: user.id)
                guard try transaction.session(token: before, in: application.id) != nil else { throw .sessionInvalid }
                try transaction.updateAuthentication(
                    of: renewal.session,
                    token: SessionToken.reference(
                        ofNew: renewal.token, for: user.id, in: renewal.session.protocolName))
            }
            return evicted.sessions
        }
        guard let ended else { throw .credentialRefused }
        return Changed(ended: ended, token: renewal?.token)
    }

    /// Whether the password before is one that nobody knows, and may be replaced without being shown.
    private func replacesUnknown(_ request: Request, of who: Authenticated) async throws(DomainError) -> Bool {
        guard request.replacesUnknown else { return false }
        let (user, application) = (who.user.id, who.application.id)
        return try await store.read { transaction throws(DomainError) in
            try transaction.passwordHash(of: user, in: application) == nil
        }
    }

    /// Compares the present password; `nil` where none was shown.
    private func compare(
        _ request: Request, of who: Authenticated
    ) async throws(DomainError) -> PasswordCheck.Outcome? {
        guard let current = request.current else { return nil }
        return try await check(
            current.revealed, of: .own(who.user), in: who.application.id, from: request.address)
    }

    /// The session with its new token, and as the present password makes it; `nil` where it has none.
    private func renewal(
        for request: Request, by who: Authenticated, at now: Timestamp
    ) -> (session: Session, token: Secret)? {
        guard request.renewsToken, request.keepsSession else { return nil }
        var session = who.session
        if request.current != nil { session.prove(by: .password, at: now) }
        let form = protocols[session.protocolName].token
        return (session, SessionToken.Draw(form, randomness).token(of: session.user))
    }
}
