/// Finds out whom a message concerns, makes the code, and turns the message into a mail or text: one transaction keeps the
/// code's digests and the sealed text, so that no mail has a code that nobody knows.
package struct RenderMessage: Sendable {
    /// Notices that somebody wanted an address for another account, for each owner.
    package static let noticesForOwner = RateLimit(maximum: 2, window: .days(1))

    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let sealing: MailSealing
    let digests: CodeDigests
    let renderer: any MailRenderer

    /// - Parameters:
    ///   - message: What somebody asked for.
    ///   - mail: The message in the queue, as it was claimed.
    ///   - application: Where.
    /// - Returns: the message; `nil` when there is nobody to write to.
    /// - Throws: `storageUnavailable`, `secretUnreadable`.
    package func callAsFunction(
        _ message: MessageRequest, _ mail: QueuedMail, in application: Application
    ) async throws(DomainError) -> RenderedMessage? {
        let found = try await store.read { transaction throws(DomainError) in
            try Self.reader(of: message, in: application.id, transaction)
        }
        guard let (user, address) = found else { return try await notice(of: message, mail, in: application) }
        guard let recipient = message.kind.isText ? address : MailAddress(address)?.deliverable
        else { return nil }
        if message.isCodeKept == true { return try await kept(message, mail, to: recipient, in: application) }
        let hasLink = application.settings.mail.link(for: message.kind, token: "", pages: message.pages) != nil
        let form = CodeForm.form(of: message.kind, hasLink: hasLink)
        let code = form.new(randomness)
        var rendered = RenderedMessage(
            kind: message.kind, recipient: recipient, languages: [user?.locale].compactMap { $0 } + message.languages,
            code: code, minutes: Int(clamping: form.life.wholeMilliseconds / 60_000), email: address,
            pages: message.pages)
        let (handle, digest) = digests.digests(
            of: message.kind, in: application.id, Self.subject(of: message, form, user?.id),
            CodeForm.normal(code) ?? code)
        var kept = MailedCode(
            application: application.id, handle: handle, digest: digest, kind: message.kind,
            user: user?.id ?? registrant(address, in: application.id), address: address,
            replaces: user?.identifier(message.kind.addressKind), expiresAt: clock.now + form.life)
        kept.origin = message.session
        let stored = kept
        rendered.condition = .init(stored)
        return try await write(rendered, in: mail) { transaction, replacement throws(DomainError) in
            // Between the two transactions the user may have changed.
            let now = try Self.reader(of: message, in: application.id, transaction)
            guard let now, now.user?.email == user?.email, now.user?.phone == user?.phone,
                try transaction.replaceContent(of: replacement)
            else { return false }
            try transaction.replaceCode(with: stored)
            return true
        }
    }

    /// Seals a message into its mail in the queue.
    ///
    /// - Parameters:
    ///   - rendered: The message.
    ///   - mail: The mail, as it was claimed.
    ///   - replace: Writes the mail with its new content; `false` when the message is not to be sent.
    /// - Returns: the message; `nil` when it was not written, as when the claim is over.
    /// - Throws: `storageUnavailable`, `secretUnreadable`.
    private func write(
        _ rendered: RenderedMessage, in mail: QueuedMail,
        _ replace: @escaping @Sendable (any Transaction, QueuedMail) throws(DomainError) -> Bool = {
            transaction, replacement throws(DomainError) in try transaction.replaceContent(of: replacement)
        }
    ) async throws(DomainError) -> RenderedMessage? {
        var written = mail
        written.sealed = try sealing.seal(.rendered(rendered), id: mail.id, in: mail.application)
        let replacement = written
        let isWritten = try await store.write { transaction throws(DomainError) in
            try replace(transaction, replacement)
        }
        return isWritten ? rendered : nil
    }

    /// The message with a code that was made when it was ordered; `nil` when another code has replaced that.
    private func kept(
        _ message: MessageRequest, _ mail: QueuedMail, to recipient: String, in application: Application
    ) async throws(DomainError) -> RenderedMessage? {
        guard let id = message.user.map(Identifier<User>.init(rawValue:)) else { return nil }
        let hasLink = application.settings.mail.link(for: message.kind, token: "", pages: message.pages) != nil
        let form = CodeForm.form(of: message.kind, hasLink: hasLink)
        let (now, digests) = (clock.now, digests)
        let living = try await store.read { transaction throws(DomainError) -> (code: MailedCode, text: String)? in
            guard let user = try transaction.user(id, in: application.id) else { return nil }
            return try transaction.livingCode(of: message.kind, user, in: application, digests, [form], at: now)
        }
        guard let (code, text) = living, code.address == message.address else { return nil }
        var rendered = RenderedMessage(
            kind: message.kind, recipient: recipient, languages: message.languages, code: text,
            minutes: max(1, Int(clamping: (code.expiresAt - now).wholeMilliseconds / 60_000)), email: message.address,
            pages: message.pages)
        rendered.condition = .init(code)
        return try await write(rendered, in: mail)
    }

    /// Whom the mail is for and where it goes: always the address that is stored, never the one that was typed, because
    /// two that are taken for the same here may be two mailboxes elsewhere. Who registers is no user yet, and has typed the
    /// address.
    private static func reader(
        of message: MessageRequest, in application: Identifier<Application>, _ transaction: any Transaction
    ) throws(DomainError) -> (user: User?, address: String)? {
        let identifier = LogInIdentifier(message.kind.addressKind, shown: message.address)
        let owner = try transaction.user(identifier, in: application)
        switch message.kind {
        case .logInCode:
            // An address that nobody has proved may be a stranger's, who would then log in to the account of somebody else.
            guard let owner, owner.emailVerifiedAt != nil, !owner.isDisabled, let email = owner.email else {
                return nil
            }
            return (owner, email)
        case .registration: return owner == nil ? (nil, message.address) : nil
        case .passwordReset:
            if owner?.emailVerifiedAt == nil, message.mayBeName == true {
                let name = LogInIdentifier(.username, shown: message.address)
                if let named = try transaction.user(name, in: application), !named.isDisabled, named.email == nil,
                    let address = named.username.flatMap(MailAddress.init(_:))
                {
                    return (named, address.text)
                }
            }
            guard let owner, !owner.isDisabled, let email = owner.email else { return nil }
            return (owner, email)
        case .emailVerification:
            guard let id = message.user,
                let user = try transaction.user(Identifier(rawValue: id), in: application), !user.isDisabled,
                user.email == message.replaces, message.isGood(for: user), owner == nil || owner?.id == user.id,
                try message.hasSession(of: user, in: transaction)
            else { return nil }
            return (user, message.address)
        case .textedReset:
            guard let owner, !owner.isDisabled, let phone = owner.phone,
                owner.phoneVerifiedAt != nil || message.wantsVerified != true && owner.trustsUnprovedNumber
            else { return nil }
            return (owner, phone)
        case .phoneVerification:
            guard let id = message.user,
                let user = try transaction.user(Identifier(rawValue: id), in: application), !user.isDisabled,
                user.phone == message.replaces, message.isGood(for: user),
                // A number that its user has not proved yields to who does.
                owner?.id == user.id || owner?.phoneVerifiedAt == nil,
                try message.hasSession(of: user, in: transaction)
            else { return nil }
            return (user, message.address)
        case .passwordChanged, .emailChanged, .emailRecovery, .identifiersChanged, .addressTaken, .chosenPassword,
            .textedPassword, .accountUpgraded, .identityLinked, .identityUnlinked, .deviceJoined, .secondFactorChanged,
            .recoveryCodeUsed, .accountDisabled, .accountEnabled, .deletionRequested, .accountRestored, .accountErased:
            return nil
        }
    }

    /// Instead of the mail that would verify an address which somebody else has: one that tells its owner. That may be who asked,
    /// and has forgotten the account, or has never seen it, because a stranger signed up with the address: they would wait for a
    /// mail that never comes. The one who asks learns nothing of it (requirement 10), and the order cost the same.
    private func notice(
        of message: MessageRequest, _ mail: QueuedMail, in application: Application
    ) async throws(DomainError) -> RenderedMessage? {
        guard message.kind == .emailVerification, let asker = message.user else { return nil }
        let identifier = LogInIdentifier(.email, shown: message.address)
        let owner = try await store.read { transaction throws(DomainError) in
            try transaction.user(identifier, in: application.id)
        }
        guard let owner, owner.id.rawValue != asker, !owner.isDisabled, owner.deletionRequestedAt == nil,
            let email = owner.email, let recipient = MailAddress(email)?.deliverable,
            try await mayTell(owner)
        else { return nil }
        var rendered = RenderedMessage(
            kind: .addressTaken, recipient: recipient, languages: [owner.locale].compactMap { $0 } + message.languages,
            email: email, pages: message.pages)
        rendered.condition = .init(of: owner.id)
        return try await write(rendered, in: mail)
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

    private static func subject(
        of message: MessageRequest, _ form: CodeForm, _ user: Identifier<User>?
    ) -> CodeDigests.Subject {
        switch form {
        case .token: .code
        case .digits: message.ticket.map { .ticket($0) } ?? user.map { .user($0) } ?? .code
        }
    }

    /// Stands for the user to be, so that one address has one code: a further mail makes the one before it void.
    private func registrant(_ address: String, in application: Identifier<Application>) -> Identifier<User> {
        let folded = LogInIdentifier(.email, shown: address).folded
        let digest = sealing.key.digest(of: application.rawValue, folded, purpose: "registrant")
        return Identifier(rawValue: Base64URL.text(of: digest.bytes))
    }
}

extension User {
    /// Whether a number that nobody has proved may set a password. It may be somebody else's by a slip of the finger, or that of
    /// somebody who signed up with this address: it is no way around a mail address that was proved. Where there is an address to
    /// write to, what ended the ways into the account (requirement 49) ended this one too, whatever address stands there later.
    fileprivate var trustsUnprovedNumber: Bool {
        emailVerifiedAt == nil && (email == nil || credentialsVersion == 0)
    }
}

extension MessageRequest {
    /// Whether the session in which another address was ordered is there still. Until the message is written there is no code that
    /// could end with it.
    ///
    /// - Throws: `storageUnavailable`.
    fileprivate func hasSession(of user: User, in transaction: any Transaction) throws(DomainError) -> Bool {
        guard let session, address != user.identifier(kind.addressKind) else { return true }
        return try transaction.session(orderingBy: session, of: user) != nil
    }

    /// Whether nothing has made it void since it was ordered: of one for another address, the user's first second factor does.
    func isGood(for user: User) -> Bool {
        let isShown = !user.hasSecondFactor || hasSecondFactor == true
        return (version ?? 0) == user.credentialsVersion
            && (isShown || address == user.identifier(kind.addressKind))
    }
}
