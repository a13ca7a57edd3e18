/// Makes ready what changes of an account bring with them: entries of the audit log and mails, which need the clock and
/// randomness, before the transaction.
package struct AccountChanges: Sendable {
    let notice: MailNotice
    let audit: AuditTrail

    /// - Parameters:
    ///   - possible: What the request may turn out to change.
    ///   - user: Whom, as known before the transaction.
    ///   - expected: The user as it will be, for the mail to a new address; `nil` when no address changes.
    ///   - application: Where.
    ///   - who: Who does it.
    ///   - now: When.
    /// - Returns: what the transaction settles.
    /// - Throws: `secretUnreadable`, should the cryptographic library fail.
    func ready(
        _ possible: Set<AccountChange>, of user: User, becoming expected: User? = nil, in application: Application,
        by who: Operator, at now: Timestamp
    ) throws(DomainError) -> ReadyChanges {
        var ready = ReadyChanges(now: now)
        for change in possible {
            ready.drafts[change] = audit.draft(
                change.policy.action, by: who.actor, in: application.id, from: who.origin)
            guard let kind = change.policy.mail, ready.mails[kind] == nil else { continue }
            var told = [user]
            if let expected, expected.email != user.email { told.append(expected) }
            var mails: [QueuedMail] = []
            for reader in told {
                if let mail = try notice(kind, to: reader, in: application, at: now) { mails.append(mail) }
            }
            ready.mails[kind] = mails
        }
        return ready
    }

    /// Makes changes ready whose rows have no mail.
    ///
    /// - Parameters:
    ///   - possible: What the request may turn out to change.
    ///   - application: Where.
    ///   - who: Who does it.
    ///   - now: When.
    /// - Returns: what the transaction settles.
    func ready(
        _ possible: Set<AccountChange>, in application: Identifier<Application>, by who: Operator, at now: Timestamp
    ) -> ReadyChanges {
        var ready = ReadyChanges(now: now)
        for change in possible where change.policy.mail == nil {
            ready.drafts[change] = audit.draft(change.policy.action, by: who.actor, in: application, from: who.origin)
        }
        return ready
    }

    /// What a refusal of a change leaves in the audit log, for the rules that find out in their transaction.
    func refusal(of change: AccountChange, in application: Identifier<Application>, from origin: RequestOrigin)
        -> AuditDraft
    {
        audit.draft(change.policy.action, by: .unknown, in: application, from: origin)
    }
}

/// Changes made ready, for the transaction that makes them.
struct ReadyChanges: Sendable {
    fileprivate(set) var drafts: [AccountChange: AuditDraft] = [:]
    fileprivate(set) var mails: [MailKind: [QueuedMail]] = [:]
    let now: Timestamp

    fileprivate init(now: Timestamp) {
        self.now = now
    }

    /// Ends what the changes end, records each once, and tells the user.
    ///
    /// - Parameters:
    ///   - changes: What the transaction has changed, with what the audit log says of it.
    ///   - user: To whom. Changed by what ends.
    ///   - kept: What the caller uses.
    ///   - unlinked: Providers whose identities lead to the user no more: the sessions that they opened end.
    ///   - actor: Who did it, when only the transaction finds that out.
    ///   - transaction: The one that stores the changes.
    /// - Returns: how much ended.
    /// - Throws: `storageUnavailable`; `secretUnreadable` for a change that was not made ready, which is a fault here.
    @discardableResult
    func settle(
        _ changes: [AccountChange: [String: String]], of user: inout User, keeping kept: KeptAccess,
        unlinked: Set<Identity.Provider> = [], by actor: AuditEntry.Actor? = nil, in transaction: any Transaction
    ) throws(DomainError) -> Evicted {
        var total = Evicted()
        for provider in unlinked {
            // No session has the empty id.
            total.sessions += try transaction.endSessions(
                of: user.id, openedBy: Session.LogInMethod(rawValue: provider.rawValue), in: user.application,
                except: kept.session ?? Identifier(rawValue: ""))
        }
        var told: Set<MailKind> = []
        for change in AccountChange.allCases {
            guard var details = changes[change] else { continue }
            let evicted = try transaction.evict(by: change, from: &user, keeping: kept, at: now)
            total.sessions += evicted.sessions
            total.deviceKeys += evicted.deviceKeys
            if change.policy.evicts.contains(.sessions) || change == .otherDeviceKeysRemoved {
                details.merge(evicted.details) { stated, _ in stated }
            }
            // A change that nobody made ready for would leave no trace: it does not happen.
            guard let draft = drafts[change] else { throw .secretUnreadable }
            try draft.record(on: .user(user.id), by: actor, details: details, in: transaction)
            guard let kind = change.policy.mail, told.insert(kind).inserted else { continue }
            for mail in mails[kind] ?? [] { try transaction.insert(mail) }
        }
        return total
    }

    /// Records that a change was refused; `nil` when it is not known of which user.
    func refuse(_ change: AccountChange, of user: Identifier<User>?, in transaction: any Transaction)
        throws(DomainError)
    {
        try drafts[change]?.record(on: user.map { .user($0) }, result: .refused, in: transaction)
    }
}
