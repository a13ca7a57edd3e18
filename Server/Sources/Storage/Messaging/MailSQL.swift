package import Domain

extension SQLTransaction {
    /// A mail of another kind was queued by a newer program, and waits for one.
    private static var knownKinds: Value { .list(MailKind.allCases.map(\.rawValue)) }

    package func insert(_ mail: QueuedMail) throws(DomainError) {
        try connection.insert(mail, as: QueuedMailRow.self)
        note(.mailQueued)
    }

    package func nextMail(notOf applications: Set<Identifier<Application>>) throws(DomainError) -> QueuedMail? {
        // Those that were given up have no time: no index need be walked past them.
        let first = try connection.first(
            QueuedMailRow.self,
            """
            FROM mail_queue WHERE next_try_at >= $1 AND REPLACE($2, ' ' || kind || ' ', '') <> $2
            ORDER BY next_try_at, application_id, id LIMIT 1
            """,
            [.time(.earliest), Self.knownKinds])
        guard let first, applications.contains(first.application) else { return first }
        guard let application = try nextSender(notOf: applications) else { return nil }
        return try connection.first(
            QueuedMailRow.self,
            """
            FROM mail_queue
            WHERE application_id = $1 AND next_try_at >= $2 AND REPLACE($3, ' ' || kind || ' ', '') <> $3
            ORDER BY next_try_at, id LIMIT 1
            """,
            [.id(application), .time(.earliest), Self.knownKinds])
    }

    /// The application whose mail waits longest. It costs two steps in an index for each application that has mail, however
    /// much that is.
    private func nextSender(
        notOf applications: Set<Identifier<Application>>
    ) throws(DomainError) -> Identifier<Application>? {
        try connection.row(
            """
            WITH RECURSIVE senders (id) AS (
                SELECT MIN(application_id) FROM mail_queue
                UNION ALL
                SELECT (SELECT MIN(application_id) FROM mail_queue WHERE application_id > senders.id)
                FROM senders WHERE senders.id IS NOT NULL
            ), waiting (id, next_try_at) AS (
                SELECT id, (
                    SELECT MIN(next_try_at) FROM mail_queue
                    WHERE application_id = senders.id AND next_try_at >= $1
                        AND REPLACE($2, ' ' || kind || ' ', '') <> $2)
                FROM senders WHERE id IS NOT NULL AND REPLACE($3, ' ' || id || ' ', '') = $3
            )
            SELECT id FROM waiting WHERE next_try_at IS NOT NULL ORDER BY next_try_at, id LIMIT 1
            """,
            [.time(.earliest), Self.knownKinds, .list(applications.map(\.rawValue))]
        ) { row throws(DomainError) in row.only.id() }
    }

    package func claim(
        _ mail: QueuedMail, until lease: Timestamp, by claim: String
    ) throws(DomainError) -> QueuedMail? {
        guard let due = mail.nextTryAt else { return nil }
        var claimed = mail
        claimed.attempts += 1
        claimed.nextTryAt = lease
        claimed.claim = claim
        let isClaimed = try connection.change(
            """
            UPDATE mail_queue SET claim = $1, attempts = $2, next_try_at = $3
            WHERE application_id = $4 AND id = $5 AND next_try_at = $6 AND attempts = $7
            """,
            [
                .text(claim), .count(claimed.attempts), .time(lease), .id(mail.application), .id(mail.id), .time(due),
                .count(mail.attempts),
            ])
        return isClaimed == 1 ? claimed : nil
    }

    package func replaceContent(of mail: QueuedMail) throws(DomainError) -> Bool {
        try connection.change(
            "UPDATE mail_queue SET sealed = $1 WHERE application_id = $2 AND id = $3 AND claim = $4",
            [.optional(mail.sealed), .id(mail.application), .id(mail.id), .optional(mail.claim)]) == 1
    }

    package func postpone(_ mail: QueuedMail) throws(DomainError) {
        guard let next = mail.nextTryAt else {
            try connection.run(
                """
                UPDATE mail_queue SET next_try_at = NULL, last_fault = $1
                WHERE application_id = $2 AND id = $3 AND claim = $4
                """,
                [.optional(mail.lastFault), .id(mail.application), .id(mail.id), .optional(mail.claim)])
            // The taker has it as it was claimed: it was written since, and may have been sealed under another key.
            guard mail.sealed == nil else { return }
            return try connection.run(
                "UPDATE mail_queue SET sealed = NULL WHERE application_id = $1 AND id = $2 AND claim = $3",
                [.id(mail.application), .id(mail.id), .optional(mail.claim)])
        }
        try connection.run(
            """
            UPDATE mail_queue SET next_try_at = $1, last_fault = $2, claim = NULL
            WHERE application_id = $3 AND id = $4 AND claim = $5
            """,
            [.time(next), .optional(mail.lastFault), .id(mail.application), .id(mail.id), .optional(mail.claim)])
        // Workers that wait know nothing of it, and the one that postponed it may send something long by then.
        note(.mailQueued)
    }

    package func remove(_ mail: QueuedMail) throws(DomainError) {
        try connection.run(
            "DELETE FROM mail_queue WHERE application_id = $1 AND id = $2 AND claim = $3",
            [.id(mail.application), .id(mail.id), .optional(mail.claim)])
    }

    package func queuedMail(
        in application: Identifier<Application>, after last: Identifier<QueuedMail>?, limit: Int
    ) throws(DomainError) -> [QueuedMail] {
        try connection.all(
            QueuedMailRow.self,
            """
            FROM mail_queue WHERE application_id = $1 AND id > $2 AND REPLACE($3, ' ' || kind || ' ', '') <> $3
            ORDER BY id LIMIT $4
            """,
            [.id(application), .text(last?.rawValue ?? ""), Self.knownKinds, .count(limit)])
    }

    package func queuedMail(
        _ id: Identifier<QueuedMail>, in application: Identifier<Application>
    ) throws(DomainError) -> QueuedMail? {
        try connection.first(
            QueuedMailRow.self,
            """
            FROM mail_queue WHERE application_id = $1 AND id = $2 AND REPLACE($3, ' ' || kind || ' ', '') <> $3
            """,
            [.id(application), .id(id), Self.knownKinds])
    }

    package func makeDue(_ mail: QueuedMail, at now: Timestamp) throws(DomainError) {
        try connection.run(
            """
            UPDATE mail_queue SET next_try_at = $1, claim = NULL
            WHERE application_id = $2 AND id = $3 AND (next_try_at IS NULL OR claim IS NULL)
            """,
            [.time(now), .id(mail.application), .id(mail.id)])
        note(.mailQueued)
    }

    package func makeMailDue(
        in application: Identifier<Application>, at now: Timestamp, limit: Int
    ) throws(DomainError) -> Int {
        let count = try connection.change(
            """
            UPDATE mail_queue SET next_try_at = $1, claim = NULL
            WHERE application_id = $2 AND id IN (
                SELECT id FROM mail_queue
                WHERE application_id = $3 AND sealed IS NOT NULL AND expires_at > $4
                    AND (next_try_at IS NULL OR (claim IS NULL AND next_try_at > $5))
                    AND REPLACE($6, ' ' || kind || ' ', '') <> $6
                ORDER BY id LIMIT $7)
            """,
            [
                .time(now), .id(application), .id(application), .time(now), .time(now), Self.knownKinds,
                .count(limit),
            ])
        if count > 0 { note(.mailQueued) }
        return count
    }

    package func drop(_ mail: QueuedMail) throws(DomainError) {
        try connection.run(
            "DELETE FROM mail_queue WHERE application_id = $1 AND id = $2", [.id(mail.application), .id(mail.id)])
    }

    package func mailQueueLength() throws(DomainError) -> (waiting: Int, givenUp: Int, oldest: Timestamp?) {
        let found = try connection.row(
            """
            SELECT COUNT(next_try_at), COUNT(*), MIN(CASE WHEN next_try_at IS NOT NULL THEN created_at END)
            FROM mail_queue
            """, []
        ) { row throws(DomainError) in
            let row = ColumnReader<QueueLengthColumn>(row)
            let (waiting, all) = (row.count(.waiting), row.count(.all))
            return (waiting: waiting, givenUp: max(0, all - waiting), oldest: row.optionalTime(.oldest))
        }
        return found ?? (0, 0, nil)
    }

    package func insert(_ mail: OutboxMail) throws(DomainError) {
        try connection.insert(mail, as: OutboxMailRow.self, "ON CONFLICT DO NOTHING")
    }

    package func outboxMail(
        in application: Identifier<Application>, limit: Int
    ) throws(DomainError) -> [OutboxMail] {
        try connection.all(
            OutboxMailRow.self, "FROM mail_outbox WHERE application_id = $1 ORDER BY id DESC LIMIT $2",
            [.id(application), .count(limit)])
    }

    package func hasMailWaiting(beyond limit: Timestamp, at now: Timestamp) throws(DomainError) -> Bool {
        try connection.row(
            """
            SELECT attempts FROM mail_queue
            WHERE next_try_at > $1 AND (attempts = 0 OR next_try_at > $2) LIMIT 1
            """, [.time(now), .time(limit)]
        ) { row throws(DomainError) in row.only.count } != nil
    }

    package func shortenMailWaits(
        beyond limit: Timestamp, to now: Timestamp, count: Int
    ) throws(DomainError) -> Int {
        let changed = try connection.change(
            """
            UPDATE mail_queue SET next_try_at = $1 WHERE (application_id, id) IN (
                SELECT application_id, id FROM mail_queue
                WHERE next_try_at > $1 AND (attempts = 0 OR next_try_at > $2) LIMIT $3)
            """, [.time(now), .time(limit), .count(count)])
        if changed > 0 { note(.mailQueued) }
        return changed
    }

    package func removeOutboxMail(before limit: Timestamp, count: Int) throws(DomainError) -> Int {
        try connection.change(
            """
            DELETE FROM mail_outbox WHERE (application_id, id) IN (
                SELECT application_id, id FROM mail_outbox WHERE created_at < $1 LIMIT $2)
            """, [.time(limit), .count(count)])
    }

    package func oldMail(
        before limit: Timestamp, after last: QueuedMail.Position?, count: Int
    ) throws(DomainError) -> [QueuedMail.Position] {
        try connection.all(
            QueuedMailPositionRow.self,
            """
            FROM mail_queue
            WHERE (application_id, id) > ($1, $2) AND ((next_try_at IS NULL AND created_at < $3) OR expires_at < $3)
            ORDER BY application_id, id LIMIT $4
            """, Self.behind(last) + [.time(limit), .count(count)])
    }

    package func remove(_ mails: [QueuedMail.Position], before limit: Timestamp) throws(DomainError) {
        for mail in mails {
            try connection.run(
                """
                DELETE FROM mail_queue
                WHERE application_id = $1 AND id = $2 AND ((next_try_at IS NULL AND created_at < $3) OR expires_at < $3)
                """, [.id(mail.application), .id(mail.id), .time(limit)])
        }
    }

    package func mailToErase(
        ofNoUseAt now: Timestamp, after last: QueuedMail.Position?, count: Int
    ) throws(DomainError) -> [QueuedMail.Position] {
        try connection.all(
            QueuedMailPositionRow.self,
            """
            FROM mail_queue
            WHERE (application_id, id) > ($1, $2) AND next_try_at IS NULL AND sealed IS NOT NULL AND expires_at <= $3
            ORDER BY application_id, id LIMIT $4
            """, Self.behind(last) + [.time(now), .count(count)])
    }

    package func erase(_ mails: [QueuedMail.Position], ofNoUseAt now: Timestamp) throws(DomainError) {
        for mail in mails {
            try connection.run(
                """
                UPDATE mail_queue SET sealed = NULL
                WHERE application_id = $1 AND id = $2 AND next_try_at IS NULL AND expires_at <= $3
                """, [.id(mail.application), .id(mail.id), .time(now)])
        }
    }

    /// No application and no mail has an empty id.
    private static func behind(_ last: QueuedMail.Position?) -> [Value] {
        [.text(last?.application.rawValue ?? ""), .text(last?.id.rawValue ?? "")]
    }
}

enum QueuedMailPositionRow: Row {
    static let table: StaticString = "mail_queue"

    enum Column: Int, RowColumn {
        case applicationId, id
    }

    static func content(_ row: ColumnReader<Column>) throws(DomainError) -> QueuedMail.Position {
        QueuedMail.Position(application: row.id(.applicationId), id: row.id(.id))
    }
}

private enum QueueLengthColumn: Int, RowColumn {
    case waiting, all, oldest
}
