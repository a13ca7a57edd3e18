/// An application's mails that wait or were given up, oldest first. Their texts are not shown.
package struct ListQueuedMail: Sendable {
    package static let maximumPageSize = 1000

    let store: any Store

    /// - Parameters:
    ///   - application: Whose.
    ///   - last: The last one of the page before; `nil` for the first page.
    ///   - limit: The most of a page.
    /// - Returns: the page.
    /// - Throws: `applicationUnknown`, `storageUnavailable`.
    package func callAsFunction(
        in application: Identifier<Application>, after last: Identifier<QueuedMail>? = nil,
        limit: Int = ListQueuedMail.maximumPageSize
    ) async throws(DomainError) -> [QueuedMail] {
        try await store.read { transaction throws(DomainError) in
            guard try transaction.application(application) != nil else { throw .applicationUnknown }
            return try transaction.queuedMail(in: application, after: last, limit: limit)
        }
    }

    /// - Throws: `administration(notFound)` for one that is not in the queue any more, `storageUnavailable`.
    package func find(
        _ id: Identifier<QueuedMail>, in application: Identifier<Application>
    ) async throws(DomainError) -> QueuedMail {
        try await store.read { transaction throws(DomainError) in
            guard let mail = try transaction.queuedMail(id, in: application) else { throw .administration(.notFound) }
            return mail
        }
    }
}

/// Operators let mails be sent at once that wait for another try or were given up, or take one out of the queue. Each is in the audit
/// log.
package struct ManageQueuedMail: Sendable {
    /// How many mails are let be sent by one request: all changes wait meanwhile.
    package static let maximumAtOnce = 10_000

    let store: any Store
    let clock: any WallClock
    let audit: AuditTrail

    /// Lets one mail be sent at once. One that is being sent is left alone.
    ///
    /// - Returns: the mail as it is then.
    /// - Throws: `administration(notFound)`, `administration(mailExpired)` for one whose code has expired, or that is of no use any
    ///   more for another reason, `storageUnavailable`.
    package func retry(
        _ id: Identifier<QueuedMail>, in application: Identifier<Application>, by who: Operator
    ) async throws(DomainError) -> QueuedMail {
        let now = clock.now
        let entry = audit.draft(.mailRetried, by: who.actor, in: application, from: who.origin)
        return try await store.write { transaction throws(DomainError) in
            guard let mail = try transaction.queuedMail(id, in: application) else { throw .administration(.notFound) }
            guard mail.isOfUse(at: now) else { throw .administration(.mailExpired) }
            try transaction.makeDue(mail, at: now)
            try entry.record(on: .application(application), details: mail.details, in: transaction)
            return try transaction.queuedMail(id, in: application) ?? mail
        }
    }

    /// Lets all mails be sent at once that are of use, `maximumAtOnce` at the most. Where there is none, nothing is recorded.
    ///
    /// - Returns: how many they are.
    /// - Throws: `applicationUnknown`, `storageUnavailable`.
    package func retryAll(
        in application: Identifier<Application>, by who: Operator
    ) async throws(DomainError) -> Int {
        let now = clock.now
        let entry = audit.draft(.mailRetried, by: who.actor, in: application, from: who.origin)
        return try await store.write { transaction throws(DomainError) in
            guard try transaction.application(application) != nil else { throw .applicationUnknown }
            let count = try transaction.makeMailDue(in: application, at: now, limit: Self.maximumAtOnce)
            if count > 0 {
                try entry.record(on: .application(application), details: ["mails": String(count)], in: transaction)
            }
            return count
        }
    }

    /// Takes a mail out of the queue. One that is being sent may arrive all the same.
    ///
    /// - Throws: `administration(notFound)`, `storageUnavailable`.
    package func drop(
        _ id: Identifier<QueuedMail>, in application: Identifier<Application>, by who: Operator
    ) async throws(DomainError) {
        let entry = audit.draft(.mailDropped, by: who.actor, in: application, from: who.origin)
        try await store.write { transaction throws(DomainError) in
            guard let mail = try transaction.queuedMail(id, in: application) else { throw .administration(.notFound) }
            try transaction.drop(mail)
            try entry.record(on: .application(application), details: mail.details, in: transaction)
        }
    }
}

extension QueuedMail {
    /// Whether it can be sent: what it says is there, and its code, or what else it is about, has not expired.
    package func isOfUse(at now: Timestamp) -> Bool { sealed != nil && now < expiresAt }

    fileprivate var details: [String: String] { ["mail": id.rawValue, "kind": kind.rawValue] }
}

extension AuditEntry.Action {
    package static let mailRetried = AuditEntry.Action(rawValue: "mail.sent-again")
    package static let mailDropped = AuditEntry.Action(rawValue: "mail.dropped")
}
