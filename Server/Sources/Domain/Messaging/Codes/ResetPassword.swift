/// Sets a new password with the token of a mail, or with the code of a text message; the token of a registration's mail makes
/// the user. Every way into the account ends: all who had one are out, and log in by the new password (requirement 49).
///
/// The mail shows that its address is the user's. An address that was not verified before may have been a stranger's
/// guess, so everything else that leads to such a user goes too: the provider identities of the one who signed up with it, and
/// the other address (requirement 32).
package struct ResetPassword: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let prepareCredential: PrepareCredential
    let tryCode: TryCode
    let changes: AccountChanges
    let sealing: MailSealing
    let registrar: UserRegistrar

    package struct Request: Sendable {
        package var application: Application
        /// The token, or the code.
        package var token: String
        /// Whose code it is, when it came by text message: digits do not stand alone.
        package var owner: Owner?
        package var newPassword: Secret
        /// Languages in which the new password goes to where the code went; `nil` when the user chose it.
        package var sentIn: [String]?
        package var address: ClientAddress
        /// Names one attempt, so that its repetition works again.
        package var attempt: SecretDigest?
        /// Set to bring a user back that asked to be deleted.
        package var restoringFrom: RequestOrigin?
        package var rules: AccountRules
        /// Where the request came from, for the audit log.
        package var origin: RequestOrigin

        /// How a user is named.
        package enum Owner: Sendable {
            case id(Identifier<User>)
            case identifier(LogInIdentifier)
        }

        package init(
            application: Application, token: String, newPassword: Secret, address: ClientAddress,
            attempt: SecretDigest? = nil, restoringFrom: RequestOrigin? = nil, origin: RequestOrigin,
            rules: AccountRules
        ) {
            self.application = application
            self.token = token
            self.newPassword = newPassword
            self.address = address
            self.attempt = attempt
            self.rules = rules
            self.restoringFrom = restoringFrom
            self.origin = origin
        }
    }

    /// - Throws: `codeRefused`; `fieldsRefused` for a password that breaks a rule, which leaves the token as it was, with one
    ///   try less where it is digits; `attemptReused` for the repetition of an attempt with another password; `userDisabled`
    ///   and `userDeleted`, which leave the token as it was; `rateLimited`, `busy`, `storageUnavailable`.
    package func callAsFunction(_ request: Request) async throws(DomainError) {
        let (now, application) = (clock.now, request.application)
        let entry = changes.refusal(of: .passwordReset, in: application.id, from: request.origin)
        let restoration = request.restoringFrom.map {
            changes.drawingMail(
                for: changes.audit.ready(atLogIn: .restored, in: application.id, from: $0, at: now))
        }
        let kind = try await kind(of: request)
        let asked = TryCode.Presented(
            kind, in: application.id, try await subject(of: request), request.token, from: request.address,
            attempt: request.attempt, refusal: entry)
        // Only for a right token is a password hashed: that costs time and memory. A token cannot be guessed. The digits of a
        // text message could be, and which are right shows by the time it takes and by what is wrong with the password: each
        // try of them is counted first.
        let presented = try await request.owner == nil ? asked : tryCode.counted(asked)
        guard let (code, owner) = try await tryCode.owner(of: presented) else {
            if request.owner == nil, try await registers(request) { return }
            return try await tryCode(presented) { _, _, _ throws(DomainError) in throw .codeRefused }
        }
        let password = try PasswordRules(for: application, user: owner, rules: request.rules)
            .check(request.newPassword, field: "newPassword")
        // A named attempt can come again and again, and each time is hashed.
        try await prepareCredential.count(owner, from: request.address)
        if code.usedBy != nil, code.usedBy == request.attempt {
            try await refuseOther(password.password, of: owner)
        }
        let credential = try await CredentialChange(
            .passwordReset, to: password, of: owner, hashing: prepareCredential.passwords)
        let revocations = RevocationIds(randomness, at: now)
        let ready = try changes.ready(
            [.passwordReset], of: owner.afterReset(by: kind, at: now), in: application,
            by: .holder(of: owner.id, showing: .code, from: request.origin, keeping: .nothing), at: now)
        let notice = try request.sentIn.map { languages throws(DomainError) in
            try mail(
                request.newPassword, setAt: ready.now, to: code.address, of: owner, isText: kind.isText, languages,
                application)
        }
        try await tryCode(presented) { code, user, transaction throws(DomainError) in
            // A repetition finds all this done.
            guard code.usedBy == nil else { return }
            var user = try AccountGate.admit(
                user, to: application, restoration: restoration, in: transaction)
            let isFirstProof = !user.hasProved(kind.addressKind)
            _ = try credential.store(
                for: &user, with: ready, keeping: KeptAccess(session: nil, deviceKey: nil, code: code.handle),
                by: nil, noting: isFirstProof && user.hasSecondFactor ? ["second-factors": "removed"] : [:],
                in: transaction)
            try transaction.endRecovery(of: user, to: code.address)
            if let notice { try transaction.insert(notice) }
            guard isFirstProof else { return }
            try Self.unlinkAll(of: user, in: transaction, revocations, at: now)
            try transaction.removeSecondFactors(of: &user)
            user.prove(byText: kind.isText, at: now)
            try transaction.updateIdentifiers(of: user)
        }
    }

    /// Whether a mailed token would be taken now. Nothing is counted or used up: a token cannot be guessed.
    ///
    /// - Throws: `storageUnavailable`.
    package func takes(
        _ token: String, in application: Application, from address: ClientAddress
    ) async throws(DomainError) -> Bool {
        let presented = TryCode.Presented(.passwordReset, in: application.id, .code, token, from: address)
        guard let (code, owner) = try await tryCode.owner(of: presented) else { return false }
        return code.kind == .passwordReset && code.usedBy == nil && clock.now < code.expiresAt
            && owner.identifier(code.kind.addressKind) == code.replaces
    }

    /// A password for a user who chooses none: 12 characters that keep every protocol's rules.
    package func drawPassword() -> Secret { Secret(randomness.randomBase62(characterCount: 12)) }

    /// The message that says such a password.
    private func mail(
        _ password: Secret, setAt now: Timestamp, to address: String, of user: User, isText: Bool,
        _ languages: [String], _ application: Application
    ) throws(DomainError) -> QueuedMail {
        let kind: MailKind = isText ? .textedPassword : .chosenPassword
        var rendered = RenderedMessage(
            kind: kind, recipient: isText ? address : MailAddress(address)?.deliverable ?? address,
            languages: [user.locale].compactMap { $0 } + languages, code: password.revealed, email: address)
        var condition = RenderedMessage.Condition(of: user.id)
        condition.passwordSetAt = now.milliseconds
        rendered.condition = condition
        return try sealing.queued(.rendered(rendered), of: kind, in: application.id, at: now, life: .days(1))
    }

    /// What the code came by. That behind the link of a text message stands alone, like a mail's.
    private func kind(of request: Request) async throws(DomainError) -> MailKind {
        guard request.owner == nil else { return .textedReset }
        let linked = TryCode.Presented(
            .textedReset, in: request.application.id, .code, request.token, from: request.address)
        return try await tryCode.owner(of: linked) == nil ? .passwordReset : .textedReset
    }

    /// What the code belongs to. Names that are nobody's have a user that nobody is: no id begins with a control character. They
    /// are counted as others are, and cost as much.
    private func subject(of request: Request) async throws(DomainError) -> CodeDigests.Subject {
        switch request.owner {
        case nil: return .code
        case .id(let id)?: return .named(id)
        case .identifier(let identifier)?:
            let application = request.application.id
            let owner = try await store.read { transaction throws(DomainError) in
                try transaction.user(identifier, in: application)
            }
            return .named(owner?.id ?? Identifier(rawValue: "\u{1}\(identifier.kind.rawValue):\(identifier.folded)"))
        }
    }

    /// The repetition of an attempt must ask for the same password: the answer would be about another one otherwise.
    func refuseOther(_ password: Password, of owner: User) async throws(DomainError) {
        let (id, application) = (owner.id, owner.application)
        let kept = try await store.read { transaction throws(DomainError) in
            try transaction.passwordHash(of: id, in: application)
        }
        let verdict = try await prepareCredential.passwords.compare(
            password, with: kept, among: [], for: .application(application))
        guard verdict != .refused else { throw .attemptReused }
    }

    private static func unlinkAll(
        of user: User, in transaction: any Transaction, _ revocations: RevocationIds, at now: Timestamp
    ) throws(DomainError) {
        for pair in revocations.pairs(of: user) {
            try transaction.unlink(
                pair.identity, of: user.id, in: user.application, revocation: pair.revocation, at: now)
        }
        for identity in user.identities where !identity.mayHaveGrant {
            try transaction.remove(identity, of: user.id, in: user.application)
        }
    }
}

extension User {
    /// The user as the notices of a reset find it: without what the reset takes away.
    fileprivate func afterReset(by kind: MailKind, at now: Timestamp) -> User {
        var user = self
        if !hasProved(kind.addressKind) {
            user.identities = []
            user.phoneVerifiedAt = nil
        }
        user.identities.removeAll { $0.provider == .passkey }
        if !kind.isText, email != nil { user.emailVerifiedAt = now }
        return user
    }

    /// Notes that an address was shown to be the user's for the first time. The other one may be that of the one who signed up
    /// with this one: a number counts as unverified, by which no password is set beside a verified address; an unverified
    /// address goes.
    fileprivate mutating func prove(byText isText: Bool, at now: Timestamp) {
        updatedAt = now
        if isText {
            phoneVerifiedAt = now
            if emailVerifiedAt == nil { email = nil }
        } else {
            // A name that is an address is not the user's address.
            emailVerifiedAt = email == nil ? nil : now
            phoneVerifiedAt = nil
        }
    }
}
