package import Domain

extension SQLTransaction {
    package func insert(_ mail: QueuedMail) throws(DomainError) {
        try connection.run(
            """
            INSERT INTO mail_queue (application_id, id, kind, sealed, created_at, expires_at, attempts, next_try_at,
                last_fault)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """,
            [
                .id(mail.application), .id(mail.id), .text(mail.kind.rawValue), mail.sealed.map(Value.bytes) ?? .null,
                .time(mail.createdAt), .time(mail.expiresAt), .count(mail.attempts),
                .optional(mail.nextTryAt), .optional(mail.lastFault),
            ])
        note(.mailQueued)
    }

    package func claimMail(
        dueBy now: Timestamp, limit: Int, lease: Timestamp, claim: String
    ) throws(DomainError) -> [QueuedMail] {
        let due = try connection.rows(
            """
            SELECT application_id, id, kind, sealed, created_at, expires_at, attempts, next_try_at, last_fault
            FROM mail_queue WHERE next_try_at <= $1 ORDER BY next_try_at, id LIMIT $2
            """,
            [.time(now), .count(limit)], read: Self.mail)
        var claimed: [QueuedMail] = []
        for var mail in due {
            mail.attempts += 1
            mail.nextTryAt = lease
            try connection.run(
                """
                UPDATE mail_queue SET claim = $1, attempts = $2, next_try_at = $3
                WHERE application_id = $4 AND id = $5
                """,
                [
                    .text(claim), .count(mail.attempts), .time(lease), .id(mail.application), .id(mail.id),
                ])
            claimed.append(mail)
        }
        return claimed
    }

    package func nextMailAt() throws(DomainError) -> Timestamp? {
        try connection.row(
            "SELECT next_try_at FROM mail_queue WHERE next_try_at IS NOT NULL ORDER BY next_try_at LIMIT 1", []
        ) { row throws(DomainError) in row.time(0) }
    }

    package func replaceContent(of mail: QueuedMail, claim: String) throws(DomainError) -> Bool {
        try connection.change(
            "UPDATE mail_queue SET sealed = $1 WHERE application_id = $2 AND id = $3 AND claim = $4",
            [mail.sealed.map(Value.bytes) ?? .null, .id(mail.application), .id(mail.id), .text(claim)]) == 1
    }

    package func postpone(_ mail: QueuedMail, claim: String) throws(DomainError) {
        guard let next = mail.nextTryAt else {
            return try connection.run(
                """
                UPDATE mail_queue SET next_try_at = NULL, sealed = NULL, last_fault = $1
                WHERE application_id = $2 AND id = $3 AND claim = $4
                """,
                [.optional(mail.lastFault), .id(mail.application), .id(mail.id), .text(claim)])
        }
        try connection.run(
            """
            UPDATE mail_queue SET next_try_at = $1, last_fault = $2
            WHERE application_id = $3 AND id = $4 AND claim = $5
            """,
            [.time(next), .optional(mail.lastFault), .id(mail.application), .id(mail.id), .text(claim)])
    }

    package func remove(_ mail: QueuedMail, claim: String) throws(DomainError) {
        try connection.run(
            "DELETE FROM mail_queue WHERE application_id = $1 AND id = $2 AND claim = $3",
            [.id(mail.application), .id(mail.id), .text(claim)])
    }

    package func queuedMail(
        in application: Identifier<Application>, limit: Int
    ) throws(DomainError) -> [QueuedMail] {
        try connection.rows(
            """
            SELECT application_id, id, kind, sealed, created_at, expires_at, attempts, next_try_at, last_fault
            FROM mail_queue WHERE application_id = $1 ORDER BY id LIMIT $2
            """,
            [.id(application), .count(limit)], read: Self.mail)
    }

    package func mailQueueLength() throws(DomainError) -> (waiting: Int, givenUp: Int, oldest: Timestamp?) {
        let found = try connection.row(
            """
            SELECT COUNT(next_try_at), COUNT(*), MIN(CASE WHEN next_try_at IS NOT NULL THEN created_at END)
            FROM mail_queue
            """, []
        ) { row throws(DomainError) in
            (
                waiting: row.count(0), givenUp: max(0, row.count(1) - row.count(0)),
                oldest: row.optionalTime(2)
            )
        }
        return found ?? (0, 0, nil)
    }

    package func insert(_ mail: OutboxMail) throws(DomainError) {
        try connection.run(
            """
            INSERT INTO mail_outbox (application_id, id, sealed, created_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT DO NOTHING
            """,
            [.id(mail.application), .id(mail.id), .bytes(mail.sealed), .time(mail.createdAt)])
    }

    package func outboxMail(
        in application: Identifier<Application>, limit: Int
    ) throws(DomainError) -> [OutboxMail] {
        try connection.rows(
            """
            SELECT id, application_id, sealed, created_at FROM mail_outbox WHERE application_id = $1
            ORDER BY id DESC LIMIT $2
            """,
            [.id(application), .count(limit)]
        ) { row throws(DomainError) in
            OutboxMail(id: row.id(0), application: row.id(1), sealed: row.bytes(2), createdAt: row.time(3))
        }
    }

    package func removeMail(before limit: Timestamp) throws(DomainError) {
        try connection.run(
            "DELETE FROM mail_queue WHERE (next_try_at IS NULL AND created_at < $1) OR expires_at < $1",
            [.time(limit)])
        try connection.run("DELETE FROM mail_outbox WHERE created_at < $1", [.time(limit)])
    }

    /// - Throws: `storageUnavailable` for a kind that no program has written.
    private static func mail(_ row: any RowReader) throws(DomainError) -> QueuedMail {
        guard let kind = MailKind(rawValue: row.text(2)) else { throw .storageUnavailable }
        return QueuedMail(
            id: row.id(1), application: row.id(0), kind: kind, sealed: row.isNull(3) ? nil : row.bytes(3),
            createdAt: row.time(4), expiresAt: row.time(5), attempts: row.count(6),
            nextTryAt: row.optionalTime(7), lastFault: row.optionalText(8))
    }
}
