/// Codes that verify addresses, for protocols whose servers may read them and whose messages repeat them.
///
/// They are there as soon as they are ordered, with the address that waits, not only once the message is written. The
/// database has digests as of all codes: the text is derived by the sealing key from what stands beside them (`KeptCode`).
package struct VerificationCodes: Sendable {
    /// A code that is good for less is not repeated: nobody would have the time to type it.
    private static let leastRest: Duration = .seconds(60)

    let enqueueMessage: EnqueueMessage
    let digests: CodeDigests

    /// Refuses who may not take another address, before anything of the request is stored: the code will show the address, and
    /// not that its owner asked for it.
    ///
    /// - Throws: `secondFactorNotRecent`, `secondFactorEnrolmentRequired`, `reauthenticationRequired`.
    package func requireProof(ofAddressBy author: AccountAuthor) throws(DomainError) {
        try author.requireProof(of: .addressChanged, at: enqueueMessage.clock.now)
    }

    /// Whether messages of a kind leave the server.
    package func isAvailable(_ kind: MailKind) -> Bool { enqueueMessage.deliveries.isAvailable(for: kind) }

    /// Orders the message with a user's code: the one that is good, or else a new one. The caller has seen to it that the
    /// user, or an administrator, asks.
    ///
    /// - Parameters:
    ///   - kind: `emailVerification` or `phoneVerification`.
    ///   - typed: Another address than the present one; `nil` for that.
    ///   - user: Whose.
    ///   - session: The user's session; `nil` for an administrator.
    ///   - application: Where.
    ///   - languages: What the app prefers, best first.
    ///   - client: Who orders.
    /// - Throws: `mailUnavailable`, `fieldsRefused`, `rateLimited`, `storageUnavailable`.
    package func send(
        _ kind: MailKind, to typed: String?, of user: User, by session: Session?, in application: Application,
        languages: [String], from client: ClientAddress
    ) async throws(DomainError) {
        guard let address = try Self.address(kind, typed, of: user) else {
            throw .fieldsRefused([ValidationError(field: kind.addressKind.rawValue, rule: .required)])
        }
        var message = MessageRequest(
            kind: kind, address: address, of: user, by: session,
            languages: [user.locale].compactMap { $0 } + languages)
        message.isCodeKept = true
        let ordered = message
        let ready = try await enqueueMessage.ready(message, in: application, from: client, toPages: !kind.isText)
        let (now, digests) = (enqueueMessage.clock.now, digests)
        try await enqueueMessage.store.write { transaction throws(DomainError) in
            // What has ended the messages that were ordered ends a code that was ordered before it, too.
            guard let present = try transaction.user(user.id, in: application.id), ordered.isGood(for: present) else {
                return
            }
            let living = try transaction.livingCode(
                of: kind, user, in: application, digests, [ready.form], at: now + Self.leastRest)
            var mail = ready.mail
            if let code = living?.code, code.address == address {
                // The code is older than the message that repeats it, and the message is of no use without it.
                mail.expiresAt = min(mail.expiresAt, code.expiresAt)
            } else {
                try transaction.replaceCode(of: kind, user, address, ready.form, by: ordered.session, digests, at: now)
            }
            try transaction.insert(mail)
        }
    }

    /// The code of a user's address that is good now.
    ///
    /// - Returns: the code without spaces; `nil` when there is none.
    /// - Throws: `storageUnavailable`.
    package func read(
        _ kind: MailKind, of user: User, in application: Application
    ) async throws(DomainError) -> Secret? {
        let (now, digests, forms) = (enqueueMessage.clock.now, digests, forms(of: kind, in: application))
        let living = try await enqueueMessage.store.read { transaction throws(DomainError) in
            try transaction.livingCode(of: kind, user, in: application, digests, forms, at: now)
        }
        return living.flatMap { CodeForm.normal($0.text) }.map(Secret.init(_:))
    }

    /// Makes another code for the address that waits, or for the present one that is not verified. The one before is void.
    ///
    /// - Returns: the code without spaces; `nil` when there is nothing to verify.
    /// - Throws: `storageUnavailable`.
    package func renew(
        _ kind: MailKind, of user: User, in application: Application
    ) async throws(DomainError) -> Secret? {
        let (now, digests, forms) = (enqueueMessage.clock.now, digests, forms(of: kind, in: application))
        let text = try await enqueueMessage.store.write { transaction throws(DomainError) -> String? in
            let mailed = try transaction.mailedAddress(of: kind, user: user.id, in: application.id)
            let waiting = mailed.flatMap { now < $0.expiresAt ? $0.address : nil }
            guard let address = waiting ?? (user.hasProved(kind.addressKind) ? nil : user.identifier(kind.addressKind)),
                let form = forms.first
            else { return nil }
            let living = try transaction.livingCode(of: kind, user, in: application, digests, forms, at: now)
            return try transaction.replaceCode(
                of: kind, user, address, form, by: living?.code.origin, digests, at: now)
        }
        return text.flatMap(CodeForm.normal).map(Secret.init(_:))
    }

    /// What a code can look like: with a link to the pages or without.
    private func forms(of kind: MailKind, in application: Application) -> [CodeForm] {
        let hasLink =
            application.settings.mail.link(
                for: kind, token: "", pages: kind.isText ? nil : enqueueMessage.pages(of: application)) != nil
        return [CodeForm.form(of: kind, hasLink: hasLink), CodeForm.form(of: kind, hasLink: !hasLink)]
    }

    private static func address(_ kind: MailKind, _ typed: String?, of user: User) throws(DomainError) -> String? {
        guard let typed else { return user.identifier(kind.addressKind) }
        return try kind.isText ? EnqueueMessage.number(typed) : EnqueueMessage.address(typed, of: user)
    }
}

/// A code whose text is derived, so that it can be said again without being stored.
struct KeptCode: Sendable {
    let application: Identifier<Application>
    let kind: MailKind
    let user: Identifier<User>
    let address: String
    let expiresAt: Timestamp

    /// The code as it stands in messages. No two codes of a user end at one instant, so that no code comes twice.
    func text(_ form: CodeForm, _ digests: CodeDigests) -> String {
        form.new(
            DerivedBytes(
                all: ["1", "2"].flatMap { part in
                    digests.key.digest(
                        of: application.rawValue, kind.rawValue, user.rawValue, address, String(expiresAt.milliseconds),
                        part, purpose: "kept code"
                    ).bytes
                }))
    }

    /// What is stored of the code.
    func stored(
        _ form: CodeForm, replaces: String?, by origin: String?, _ digests: CodeDigests
    ) -> MailedCode {
        let text = text(form, digests)
        let subject: CodeDigests.Subject = if case .token = form { .code } else { .user(user) }
        let (handle, digest) = digests.digests(of: kind, in: application, subject, CodeForm.normal(text) ?? text)
        var code = MailedCode(
            application: application, handle: handle, digest: digest, kind: kind, user: user, address: address,
            replaces: replaces, expiresAt: expiresAt)
        code.origin = origin
        return code
    }

    /// Bytes in the place of random ones: 64, of which every form takes fewer at a time.
    private struct DerivedBytes: Randomness {
        let all: [UInt8]

        func bytes(_ count: Int) -> [UInt8] { Array(all.prefix(count)) }
    }
}

extension Transaction {
    /// A user's code that is good at an instant and whose text is derived.
    func livingCode(
        of kind: MailKind, _ user: User, in application: Application, _ digests: CodeDigests, _ forms: [CodeForm],
        at instant: Timestamp
    ) throws(DomainError) -> (code: MailedCode, text: String)? {
        guard let mailed = try mailedAddress(of: kind, user: user.id, in: application.id), instant < mailed.expiresAt
        else { return nil }
        let kept = KeptCode(
            application: application.id, kind: kind, user: user.id, address: mailed.address,
            expiresAt: mailed.expiresAt)
        for form in forms {
            let expected = kept.stored(form, replaces: nil, by: nil, digests)
            // A code that was drawn has another digest.
            guard let stored = try code(expected.handle, in: application.id), stored.digest == expected.digest,
                stored.kind == kind, stored.replaces == user.identifier(kind.addressKind)
            else { continue }
            return (stored, kept.text(form, digests))
        }
        return nil
    }

    /// Puts a new code in the place of a user's earlier one.
    ///
    /// - Returns: its text.
    @discardableResult
    fileprivate func replaceCode(
        of kind: MailKind, _ user: User, _ address: String, _ form: CodeForm, by origin: String?,
        _ digests: CodeDigests, at now: Timestamp
    ) throws(DomainError) -> String {
        let before = try mailedAddress(of: kind, user: user.id, in: user.application)
        var end = now + form.life
        // Several within one instant end one after the other.
        if let last = before?.expiresAt, (end...end + .seconds(1)).contains(last) { end = last + .milliseconds(1) }
        let kept = KeptCode(
            application: user.application, kind: kind, user: user.id, address: address, expiresAt: end)
        try replaceCode(
            with: kept.stored(form, replaces: user.identifier(kind.addressKind), by: origin, digests))
        return kept.text(form, digests)
    }
}
