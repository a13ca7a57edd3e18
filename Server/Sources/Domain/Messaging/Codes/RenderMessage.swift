/// Finds out whom an errand concerns, makes the code, and turns the errand into a letter: one transaction keeps the
/// code's digests and the sealed letter, so that no mail has a code that nobody knows.
package struct RenderMessage: Sendable {
    /// Notices of sign-ups with an address that somebody has, for each owner.
    package static let noticesForOwner = RateLimit(maximum: 2, window: .days(1))

    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let sealing: MailSealing
    let digests: CodeDigests
    let renderer: any MailRenderer

    /// - Parameters:
    ///   - errand: What somebody asked for.
    ///   - mail: The errand's place in the queue.
    ///   - application: Where.
    ///   - claim: Who has taken it from the queue.
    /// - Returns: the letter; `nil` when there is nobody to write to.
    /// - Throws: `storageUnavailable`, `secretUnreadable`.
    package func callAsFunction(
        _ errand: MessageRequest, _ mail: QueuedMail, in application: Application, claim: String
    ) async throws(DomainError) -> RenderedMessage? {
        let found = try await store.read { transaction throws(DomainError) in
            try Self.reader(of: errand, in: application.id, transaction)
        }
        guard let (user, address) = found else {
            return try await notice(of: errand, mail, in: application, claim: claim)
        }
        guard let recipient = errand.kind.isText ? address : MailAddress(address)?.deliverable
        else { return nil }
        let hasLink = application.settings.mail.link(for: errand.kind, token: "", pages: errand.pages) != nil
        let form = CodeForm.form(of: errand.kind, hasLink: hasLink)
        let code = form.new(randomness)
        let letter = RenderedMessage(
            kind: errand.kind, recipient: recipient, languages: [user.locale].compactMap { $0 } + errand.languages,
            code: code, minutes: Int(clamping: form.life.wholeMilliseconds / 60_000), email: address,
            pages: errand.pages)
        var written = mail
        written.sealed = try sealing.seal(.letter(letter), id: mail.id, in: application.id)
        let (handle, digest) = digests.digests(
            of: errand.kind, in: application.id, Self.subject(of: errand, form, user),
            CodeForm.normal(code) ?? code)
        let kept = MailedCode(
            application: application.id, handle: handle, digest: digest, kind: errand.kind, user: user.id,
            address: address, replaces: user.identifier(errand.kind.addressKind), expiresAt: clock.now + form.life,
            session: errand.session.map { Identifier(rawValue: $0) })
        let replacement = written
        let isWritten = try await store.write { transaction throws(DomainError) in
            // Between the two transactions the user may have changed.
            let now = try Self.reader(of: errand, in: application.id, transaction)?.user
            guard let now, now.email == user.email, now.phone == user.phone,
                try transaction.replaceContent(of: replacement, claim: claim)
            else { return false }
            try transaction.replaceCode(with: kept)
            return true
        }
        return isWritten ? letter : nil
    }

    /// Whom the mail is for and where it goes: always the address that is stored, never the one that was typed, because
    /// two that are taken for the same here may be two mailboxes elsewhere.
    private static func reader(
        of errand: MessageRequest, in application: Identifier<Application>, _ transaction: any Transaction
    ) throws(DomainError) -> (user: User, address: String)? {
        let identifier = LogInIdentifier(errand.kind.addressKind, shown: errand.address)
        let owner = try transaction.user(identifier, in: application)
        switch errand.kind {
        case .logInCode:
            // An address that nobody has proved may be a stranger's, who would then log in to somebody's account.
            guard let owner, owner.emailVerifiedAt != nil, !owner.isDisabled, let email = owner.email else {
                return nil
            }
            return (owner, email)
        case .passwordReset:
            guard let owner, !owner.isDisabled, let email = owner.email else { return nil }
            return (owner, email)
        case .emailVerification:
            guard let id = errand.user,
                let user = try transaction.user(Identifier(rawValue: id), in: application), !user.isDisabled,
                user.email == errand.replaces, errand.isGood(for: user), owner == nil || owner?.id == user.id
            else { return nil }
            return (user, errand.address)
        case .textedReset:
            // A number that nobody has proved may be somebody else's by a slip of the finger. It is no way around a
            // mail address that was proved.
            guard let owner, !owner.isDisabled, let phone = owner.phone,
                owner.phoneVerifiedAt != nil || owner.emailVerifiedAt == nil && errand.wantsVerified != true
            else { return nil }
            return (owner, phone)
        case .phoneVerification:
            guard let id = errand.user,
                let user = try transaction.user(Identifier(rawValue: id), in: application), !user.isDisabled,
                user.phone == errand.replaces, errand.isGood(for: user), owner == nil || owner?.id == user.id
            else { return nil }
            return (user, errand.address)
        case .passwordChanged, .emailChanged, .addressTaken:
            return nil
        }
    }

    /// Instead of the mail that would verify an address with which somebody signed up: one that tells its owner, who may
    /// have forgotten the account. Whoever signs up learns nothing of it (requirement 10), and the order cost the same.
    private func notice(
        of errand: MessageRequest, _ mail: QueuedMail, in application: Application, claim: String
    ) async throws(DomainError) -> RenderedMessage? {
        guard errand.isSignUp == true else { return nil }
        let identifier = LogInIdentifier(.email, shown: errand.address)
        let owner = try await store.read { transaction throws(DomainError) in
            try transaction.user(identifier, in: application.id)
        }
        guard let owner, owner.id.rawValue != errand.user, !owner.isDisabled, owner.deletionRequestedAt == nil,
            let email = owner.email, let recipient = MailAddress(email)?.deliverable,
            try await mayTell(owner)
        else { return nil }
        let letter = RenderedMessage(
            kind: .addressTaken, recipient: recipient, languages: [owner.locale].compactMap { $0 } + errand.languages,
            email: email, pages: errand.pages)
        var written = mail
        written.sealed = try sealing.seal(.letter(letter), id: mail.id, in: application.id)
        let replacement = written
        let isWritten = try await store.write { transaction throws(DomainError) in
            try transaction.replaceContent(of: replacement, claim: claim)
        }
        return isWritten ? letter : nil
    }

    /// Counts the notices of one user, however many people sign up with the address.
    private func mayTell(_ owner: User) async throws(DomainError) -> Bool {
        let key = RateLimitKey(
            application: owner.application, kind: "mail-\(MailKind.addressTaken.rawValue)", subject: owner.id.rawValue)
        let now = clock.now
        let count = try await store.writeStatement { transaction throws(DomainError) in
            try transaction.count(key, window: Self.noticesForOwner.window, at: now).count
        }
        return count <= Self.noticesForOwner.maximum
    }

    private static func subject(of errand: MessageRequest, _ form: CodeForm, _ user: User) -> CodeDigests.Subject {
        switch form {
        case .token: .code
        case .digits: errand.ticket.map { .ticket($0) } ?? .user(user.id)
        }
    }
}

extension MessageRequest {
    /// Whether nothing has made it void since it was ordered.
    fileprivate func isGood(for user: User) -> Bool { (version ?? 0) == user.credentialsVersion }
}
