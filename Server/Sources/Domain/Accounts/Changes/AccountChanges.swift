/// Makes ready what changes of an account bring with them: entries of the audit log and mails, which need the clock and
/// randomness, before the transaction.
package struct AccountChanges: Sendable {
    let notice: MailNotice
    let audit: AuditTrail

    /// Whether the server can send mail.
    var hasMail: Bool { notice.delivery.isAvailable }

    /// - Parameters:
    ///   - possible: What the request may turn out to change.
    ///   - user: Whom, as known before the transaction.
    ///   - expected: The user as it will be, for the mail to a new address and for what leads to the user then; `nil` when neither
    ///     changes.
    ///   - application: Where.
    ///   - author: Who asks for it.
    ///   - now: When.
    /// - Returns: what the transaction settles.
    /// - Throws: `reauthenticationRequired` when only one change is possible and needs a fresh proof;
    ///   `secretUnreadable`, should the cryptographic library fail.
    func ready(
        _ possible: Set<AccountChange>, of user: User, becoming expected: User? = nil, in application: Application,
        by author: AccountAuthor, at now: Timestamp
    ) throws(DomainError) -> ReadyChanges {
        var ready = try audit.ready(possible, in: application.id, by: author, at: now)
        ready.isPublished = application.settings.events.isRecorded
        let recovery =
            possible.isDisjoint(with: AccountChange.openingWays)
            ? nil : EmailRecovery(of: user, becoming: expected, by: author, notice, at: now)
        ready.recovery = recovery
        for change in possible {
            guard let kind = change.policy.mail, ready.notices[kind] == nil else { continue }
            var readers = [user]
            if let expected { readers[0].identities = expected.identities }
            // A first address says nothing to who has just put it there.
            if let expected, expected.email != user.email, kind != .identifiersChanged { readers.append(expected) }
            var notices: [ReadyNotice] = []
            for (position, reader) in readers.enumerated() {
                guard
                    var mail = try notice(
                        kind, to: reader, reachingUnproved: change == .emailRecovered, in: application.id, at: now)
                else { continue }
                mail.isForFormerAddress = position == 0 && kind == .emailChanged && recovery?.takesAddress == true
                notices.append(mail)
            }
            ready.notices[kind] = notices
        }
        return ready
    }

    /// The same changes, with the mail to a user of whom only the transaction finds out who it is. What is random about it is drawn
    /// here.
    func drawingMail(for ready: ReadyChanges) -> ReadyChanges {
        guard hasMail else { return ready }
        var ready = ready
        ready.drawn = DrawnNotice(notice, at: ready.now)
        return ready
    }

    /// Makes ready what an address or number leaves with the user who has not proved it, when somebody else does.
    ///
    /// - Throws: what `AuditTrail.ready` throws.
    func yielding(
        in application: Identifier<Application>, by author: AccountAuthor, at now: Timestamp
    ) throws(DomainError) -> ReadyChanges {
        drawingMail(for: try audit.ready([.identifierYielded], in: application, by: author, at: now))
    }

    /// What the event of a change is made from that the audit log does not have.
    ///
    /// - Returns: `nil` where nobody listens: nothing is drawn then.
    func published(_ change: AccountChange, in application: Application, by author: AccountAuthor) -> AuditDraft? {
        guard application.settings.events.isRecorded else { return nil }
        return audit.draft(
            change.policy.action, by: author.entry.actor, in: application.id, from: author.entry.origin)
    }

    /// What a refusal of a change leaves in the audit log, for the rules that find out in their transaction.
    func refusal(of change: AccountChange, in application: Identifier<Application>, from origin: RequestOrigin)
        -> AuditDraft
    {
        audit.draft(change.policy.action, by: .unknown, in: application, from: origin)
    }
}

extension AuditTrail {
    /// Makes changes ready whose rows have no mail.
    ///
    /// - Parameters:
    ///   - possible: What the request may turn out to change.
    ///   - application: Where.
    ///   - author: Who asks for it.
    ///   - now: When.
    /// - Returns: what the transaction settles.
    /// - Throws: `reauthenticationRequired` when only one change is possible and needs a fresh proof.
    func ready(
        _ possible: Set<AccountChange>, in application: Identifier<Application>, by author: AccountAuthor,
        at now: Timestamp
    ) throws(DomainError) -> ReadyChanges {
        if possible.count == 1, let change = possible.first { try author.requireProof(of: change, at: now) }
        return drafts(possible, in: application, by: author, at: now)
    }

    /// Makes a change ready that a log-in may bring with it: who logs in is known in the transaction only.
    func ready(
        atLogIn change: AccountChange, in application: Identifier<Application>, from origin: RequestOrigin,
        at now: Timestamp
    ) -> ReadyChanges {
        drafts([change], in: application, by: .unknown(showing: .recentLogIn, from: origin), at: now)
    }

    /// Makes ready what a mail address leaves that a user without one has from a provider, at a log-in or with a link.
    func takenAddress(
        in application: Identifier<Application>, from origin: RequestOrigin, at now: Timestamp
    ) -> ReadyChanges {
        ready(atLogIn: .identifiersChanged, in: application, from: origin, at: now)
    }

    /// Makes ready what is left by device keys that go because another one joins: the server takes them.
    func excessDeviceKeys(in application: Identifier<Application>, at now: Timestamp) -> ReadyChanges {
        drafts([.deviceKeyRemoved], in: application, by: .server, at: now)
    }

    private func drafts(
        _ possible: Set<AccountChange>, in application: Identifier<Application>, by author: AccountAuthor,
        at now: Timestamp
    ) -> ReadyChanges {
        var ready = ReadyChanges(author: author, now: now)
        for change in possible {
            ready.drafts[change] = draft(
                change.policy.action, by: author.entry.actor, in: application, from: author.entry.origin)
        }
        return ready
    }
}

/// Changes made ready, for the transaction that makes them.
struct ReadyChanges: Sendable {
    fileprivate(set) var drafts: [AccountChange: AuditDraft] = [:]
    var notices: [MailKind: [ReadyNotice]] = [:]
    /// The way back to the user's mail address; `nil` where the changes can concern none.
    fileprivate(set) var recovery: EmailRecovery?
    /// The one mail of changes whose user was not known before.
    var drawn: DrawnNotice?
    /// Whether the application records events; `nil` where only the transaction finds that out.
    fileprivate var isPublished: Bool?
    let author: AccountAuthor
    let now: Timestamp

    fileprivate init(author: AccountAuthor, now: Timestamp) {
        self.author = author
        self.now = now
    }

    /// Refuses who may not, what is not shown and whose session has ended meanwhile, ends what the changes end, records each once,
    /// and tells the user.
    ///
    /// - Parameters:
    ///   - changes: What the transaction has changed, with what the audit log says of it.
    ///   - user: To whom. Changed by what ends.
    ///   - kept: What the caller uses.
    ///   - unlinked: Identities that lead to the user no more: the sessions that their providers opened end, with other addresses
    ///     that those ordered, and where it was the owner or an operator, the device keys that joined by them.
    ///   - open: What lets users in now; `nil` for all ways. Keys stay where nothing of it is left.
    ///   - actor: Who did it, when only the transaction finds that out.
    ///   - hasSession: Whether the transaction has looked for the session of the request, because it may have ended it itself.
    ///   - transaction: The one that stores the changes.
    /// - Returns: how much ended.
    /// - Throws: `sessionInvalid`, `accessRefused`, `reauthenticationRequired`, `storageUnavailable`; `secretUnreadable` for a
    ///   change that was not made ready, which is a fault here.
    @discardableResult
    func settle(
        _ changes: [AccountChange: [String: String]], of user: inout User, keeping kept: KeptAccess,
        unlinked: [Identity] = [], whereOpen open: WorkingWays? = nil, by actor: AccountActor? = nil,
        hasSession: Bool = false, in transaction: any Transaction
    ) throws(DomainError) -> Evicted {
        if !hasSession, !changes.isEmpty { try author.requireSession(in: transaction) }
        try author.require(Set(changes.keys), of: user, by: actor, at: now)
        var total = Evicted()
        let providers = Set(unlinked.map(\.provider))
        for provider in providers {
            total.sessions += try transaction.endSessions(
                of: user.id, openedBy: Session.LogInMethod(rawValue: provider.rawValue), in: user.application,
                except: kept.session)
        }
        var changes = changes
        if let change = AccountChange.endingJoinedKeys.first(where: { changes[$0] != nil }) {
            let ended = try transaction.endAccess(
                by: providers, of: &user, keeping: kept, whereOpen: open, because: change, at: now)
            total += ended
            if ended.deviceKeys > 0 { changes[change]?["device-keys"] = String(ended.deviceKeys) }
        }
        try recovery?.begin(with: Set(changes.keys), in: transaction)
        var notified: Set<MailKind> = []
        for change in AccountChange.allCases {
            guard var details = changes[change] else { continue }
            let evicted = try transaction.evict(by: change, from: &user, keeping: kept, at: now)
            total += evicted
            if change.policy.evicts.contains(.sessions) || change == .otherDeviceKeysRemoved {
                details.merge(evicted.details) { stated, _ in stated }
            }
            try record(change, of: user, details, by: actor, in: transaction)
            if let kind = change.policy.mail, notified.insert(kind).inserted {
                try notify(user, kind, in: transaction)
            }
        }
        if !unlinked.isEmpty { try transaction.removeNewAddressesOfEndedSessions(of: user) }
        return total
    }

    /// Writes what the audit log says of a change, and its event where somebody listens.
    private func record(
        _ change: AccountChange, of user: User, _ details: [String: String], by actor: AccountActor?,
        in transaction: any Transaction
    ) throws(DomainError) {
        // A change that nobody made ready for would leave no trace: it does not happen.
        guard let draft = drafts[change] else { throw .secretUnreadable }
        let isKnown = author.entry.actor != .unknown
        try draft.record(on: .user(user.id), by: isKnown ? nil : actor?.inAudit, details: details, in: transaction)
        guard let type = change.policy.event, try isPublished(in: user.application, transaction) else { return }
        let left = details[AccountChange.leftUserDetail].map { Identifier<User>(rawValue: $0) }
        try transaction.insert(draft.event(type, of: user.id, leaving: left, details: details))
    }

    /// Sends the mails of a kind. The way back to a former address stands in for the one that goes there.
    private func notify(_ user: User, _ kind: MailKind, in transaction: any Transaction) throws(DomainError) {
        for notice in notices[kind] ?? [] {
            if notice.isForFormerAddress, let recovery, try recovery.send(in: transaction) { continue }
            try notice.send(in: transaction, at: now)
        }
        if let mail = try drawn?.mail(kind, to: user) { try mail.send(in: transaction, at: now) }
    }

    private func isPublished(
        in application: Identifier<Application>, _ transaction: any Transaction
    ) throws(DomainError) -> Bool {
        if let isPublished { return isPublished }
        return try transaction.application(application)?.settings.events.isRecorded == true
    }

    /// Ends again what a change ends that was made before. The audit log has it already.
    ///
    /// - Throws: `accessRefused`, `reauthenticationRequired`, `storageUnavailable`.
    func repeated(_ change: AccountChange, of user: inout User, in transaction: any Transaction) throws(DomainError) {
        try author.require([change], of: user, at: now)
        _ = try transaction.evict(by: change, from: &user, keeping: .nothing, at: now)
    }

    /// Records that a change was refused; `nil` when it is not known of which user.
    ///
    /// - Throws: `storageUnavailable`.
    func refuse(_ change: AccountChange, of user: Identifier<User>?, in transaction: any Transaction)
        throws(DomainError)
    {
        try drafts[change]?.record(on: user.map { .user($0) }, result: .refused, in: transaction)
    }
}
