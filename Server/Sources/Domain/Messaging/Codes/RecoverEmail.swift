/// Gives a former mail address back to its account, by the link that it got when nothing but a session of an old protocol was behind
/// the change (decision 0251). Every way into the account ends, with what was added since; its password becomes one that
/// nobody knows, and the owner of the address chooses another.
package struct RecoverEmail: Sendable {
    let clock: any WallClock
    let randomness: any Randomness
    let prepareCredential: PrepareCredential
    let tryCode: TryCode
    let changes: AccountChanges

    /// - Parameters:
    ///   - token: What the mail said.
    ///   - application: Where.
    ///   - client: Who tries.
    ///   - origin: Where the request came from, for the audit log.
    /// - Returns: a token that allows a new password, as one that is mailed to the address.
    /// - Throws: `codeRefused`; `identifiersTaken` when another user has proved the address meanwhile, and `userDisabled`, which
    ///   leave the link as it was; `rateLimited`, `busy`, `storageUnavailable`.
    package func callAsFunction(
        _ token: Secret, in application: Application, from client: ClientAddress, origin: RequestOrigin
    ) async throws(DomainError) -> Secret {
        let now = clock.now
        let presented = TryCode.Presented(
            .emailRecovery, in: application.id, .code, token.revealed, from: client,
            refusal: changes.refusal(of: .emailRecovered, in: application.id, from: origin))
        guard let (code, owner) = try await tryCode.owner(of: presented) else {
            return try await tryCode(presented) { _, _, _ throws(DomainError) -> Secret in throw .codeRefused }
        }
        // Each try with the link hashes a password.
        try await prepareCredential.count(owner, from: client)
        guard let drawn = Password(randomness.randomBase62(characterCount: 40)) else { throw .codeRefused }
        let credential = try await CredentialChange(
            .emailRecovered, to: NewPassword(drawn, field: "password", mustBeUnknown: false), of: owner,
            hashing: prepareCredential.passwords)
        let author = AccountAuthor.holder(of: owner.id, showing: .code, from: origin, keeping: .nothing)
        var expected = owner
        (expected.email, expected.emailVerifiedAt) = (code.address, now)
        let ready = try changes.ready(
            [.emailRecovered], of: owner, becoming: expected, in: application, by: author, at: now)
        let yielding = try changes.yielding(in: application.id, by: author, at: now)
        let revocations = RevocationIds(randomness, at: now)
        let reset = MailedCode.reset(of: owner, by: code.address, tryCode.digests, randomness, at: now)
        return try await tryCode(presented) { code, user, transaction throws(DomainError) -> Secret in
            guard !user.isDisabled else { throw .userDisabled }
            var user = user
            try transaction.giveBack(code.address, to: &user, leaving: yielding)
            let details = try transaction.removeWays(of: &user, since: code.begunAt, revocations, at: now)
            if user.hasPassword {
                _ = try credential.store(
                    for: &user, with: ready, keeping: .nothing, by: nil, noting: details, in: transaction)
            } else {
                try ready.settle([.emailRecovered: details], of: &user, keeping: .nothing, in: transaction)
            }
            try transaction.replaceCode(with: reset.code)
            return Secret(reset.text)
        }
    }
}

/// The way back to a mail address, for the transaction of a change by a session alone, or of one that takes the address away.
///
/// It begins with the first such change that lets somebody in by something new, which makes all that shows the owner's presence
/// afterwards doubtful, and the address gets the link once it is taken away, however that is done. Who took an account over ends
/// it by nothing, and gets no such link by another change: the way that was first stays. Where no address is proved it begins too, as
/// a way to nobody: the next address may be a thief's (decision 0256).
struct EmailRecovery: Sendable {
    /// Whether the change takes the address away.
    let takesAddress: Bool
    private let notice: MailNotice
    private let user: User
    /// The one that was proved; empty where none was.
    private let address: String
    private let pages: String
    /// Whether it may begin.
    private let hasSessionAlone: Bool
    /// The mail's.
    private let id: Identifier<QueuedMail>
    private let now: Timestamp

    /// `nil` where it can neither begin nor be of use, or where no mail or no page of this server leads there.
    ///
    /// - Parameters:
    ///   - user: As it is before the change.
    ///   - expected: As it will be; `nil` when no address changes.
    ///   - author: Who asks.
    ///   - notice: Writes mails.
    ///   - now: When.
    init?(
        of user: User, becoming expected: User?, by author: AccountAuthor, _ notice: MailNotice, at now: Timestamp
    ) {
        takesAddress = expected.map { $0.email != user.email } ?? false
        hasSessionAlone = author.hasSessionAlone(at: now)
        address = user.recoverableAddress ?? ""
        // A guest's first address is that of who registers: nothing shows that the account was somebody else's.
        guard takesAddress && !address.isEmpty || hasSessionAlone && !user.isAnonymous, notice.delivery.isAvailable,
            let pagesURL = notice.pagesURL
        else { return nil }
        self.notice = notice
        self.user = user
        pages = "\(pagesURL)/a/\(user.application.rawValue)"
        id = notice.sealing.randomness.newIdentifier(at: now)
        self.now = now
    }

    private var digests: CodeDigests { CodeDigests(key: notice.sealing.key) }
    private var form: CodeForm { CodeForm.form(of: .emailRecovery, hasLink: true) }

    /// Keeps a code, unless one is good already. Nobody knows its text before it is mailed.
    ///
    /// - Parameters:
    ///   - changes: What the transaction changes.
    ///   - transaction: That one.
    /// - Throws: `storageUnavailable`.
    func begin(with changes: Set<AccountChange>, in transaction: any Transaction) throws(DomainError) {
        guard hasSessionAlone, isOpened(by: changes), try living(in: transaction) == nil else { return }
        let code = kept(address, until: now + form.life)
        try transaction.replaceCode(with: code.stored(form, replaces: address, by: nil, digests))
    }

    /// Whether somebody comes in by the changes, by something new.
    private func isOpened(by changes: Set<AccountChange>) -> Bool {
        let opening = changes.intersection(AccountChange.openingWays)
        // A number in the place of another one opens nothing before it is proved.
        guard takesAddress else { return !opening.subtracting([.addressChanged]).isEmpty }
        // A first address, which leads in by a reset, has a row of its own.
        return !opening.isEmpty || address.isEmpty && !changes.isDisjoint(with: [.identifiersChanged, .emailVerified])
    }

    /// Queues the mail with the link, if there is one to the address that is taken away.
    ///
    /// - Returns: whether it did.
    /// - Throws: `secretUnreadable`, should the cryptographic library fail; `storageUnavailable`.
    func send(in transaction: any Transaction) throws(DomainError) -> Bool {
        guard let code = try living(in: transaction), code.address == address,
            let recipient = MailAddress(address)?.deliverable
        else { return false }
        let rest = code.expiresAt - now
        // It has no condition: it tells of the change too, whatever became of the link.
        let rendered = RenderedMessage(
            kind: .emailRecovery, recipient: recipient, languages: [user.locale].compactMap { $0 },
            code: code.text(form, digests), minutes: max(1, Int(clamping: rest.wholeMilliseconds / 60_000)),
            email: address, pages: pages)
        try transaction.insert(
            notice.sealing.queued(
                .rendered(rendered), of: .emailRecovery, in: user.application, at: now,
                life: min(MailNotice.life, rest), as: id))
        return true
    }

    private func living(in transaction: any Transaction) throws(DomainError) -> KeptCode? {
        let mailed = try transaction.mailedAddress(of: .emailRecovery, user: user.id, in: user.application)
        guard let mailed, now < mailed.expiresAt else { return nil }
        return kept(mailed.address, until: mailed.expiresAt)
    }

    private func kept(_ address: String, until end: Timestamp) -> KeptCode {
        KeptCode(
            application: user.application, kind: .emailRecovery, user: user.id, address: address, expiresAt: end)
    }
}

extension User {
    /// The address to which a way back can lead: one that was proved, and to which mail can go.
    fileprivate var recoverableAddress: String? {
        guard emailVerifiedAt != nil, let email, MailAddress(email)?.deliverable != nil else { return nil }
        return email
    }
}

extension MailedCode {
    /// A code that allows a new password, for who has just shown to read the mail of an address.
    fileprivate static func reset(
        of user: User, by address: String, _ digests: CodeDigests, _ randomness: any Randomness, at now: Timestamp
    ) -> (text: String, code: MailedCode) {
        let form = CodeForm.form(of: .passwordReset, hasLink: true)
        let text = form.new(randomness)
        let (handle, digest) = digests.digests(
            of: .passwordReset, in: user.application, .code, CodeForm.normal(text) ?? text)
        let code = MailedCode(
            application: user.application, handle: handle, digest: digest, kind: .passwordReset, user: user.id,
            address: address, replaces: address, expiresAt: now + form.life)
        return (text, code)
    }

    /// When the way back began.
    fileprivate var begunAt: Timestamp { expiresAt - CodeForm.form(of: .emailRecovery, hasLink: true).life }
}

extension Transaction {
    /// Ends the way back to an address whose owner has just been there.
    func endRecovery(of user: User, to address: String) throws(DomainError) {
        let way = try mailedAddress(of: .emailRecovery, user: user.id, in: user.application)
        guard way?.address == address else { return }
        try removeCode(of: .emailRecovery, user: user.id, in: user.application)
    }

    /// Makes an address a user's again, and proved.
    ///
    /// - Throws: `identifiersTaken` when somebody else has proved it; `storageUnavailable`.
    fileprivate func giveBack(
        _ address: String, to user: inout User, leaving yielding: ReadyChanges
    ) throws(DomainError) {
        (user.email, user.emailVerifiedAt, user.updatedAt) = (address, yielding.now, yielding.now)
        try takeUnproved(
            LogInIdentifier(.email, shown: address), for: user.id, in: user.application, leaving: yielding)
        try updateIdentifiers(of: user)
    }

    /// Takes away what was added to an account since somebody took it over, and would outlive the eviction: identities of providers,
    /// second factors, and the standing of a number. Nobody who has a second factor loses the address by a session alone.
    ///
    /// - Returns: what the audit log says of it.
    /// - Throws: `storageUnavailable`.
    fileprivate func removeWays(
        of user: inout User, since then: Timestamp, _ revocations: RevocationIds, at now: Timestamp
    ) throws(DomainError) -> [String: String] {
        var details: [String: String] = [:]
        let added = revocations.pairs(of: user).filter { $0.identity.linkedAt >= then }
        for (identity, revocation) in added {
            try unlink(identity, of: user.id, in: user.application, revocation: revocation, at: now)
            user.identities.removeAll { $0 == identity }
        }
        if !added.isEmpty {
            details["provider"] = added.map { $0.identity.provider.rawValue }.joined(separator: " ")
        }
        if let since = user.secondFactorAt, since >= then {
            try removeSecondFactors(of: &user)
            details["second-factors"] = "removed"
        }
        if let since = user.phoneVerifiedAt, since >= then {
            user.phoneVerifiedAt = nil
            try updateIdentifiers(of: user)
            details["number"] = "unproved"
        }
        return details
    }
}
