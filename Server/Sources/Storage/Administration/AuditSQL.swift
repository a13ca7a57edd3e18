package import Domain

extension SQLTransaction {
    package func insert(_ entry: AuditEntry) throws(DomainError) {
        try connection.insert(entry, as: AuditEntryRow.self)
    }

    package func unchainedAuditEntries(limit: Int) throws(DomainError) -> [AuditEntry] {
        try connection.all(
            AuditEntryRow.self,
            """
            FROM audit_entries WHERE number IS NULL ORDER BY application_id, id LIMIT $1
            """,
            [.count(limit)])
    }

    package func updatePosition(of entry: ChainedAuditEntry) throws(DomainError) {
        try connection.run(
            "UPDATE audit_entries SET number = $1, digest = $2 WHERE application_id = $3 AND id = $4",
            [.integer(entry.number), .digest(entry.digest), .id(entry.entry.application), .id(entry.entry.id)])
    }

    package func auditHead(of application: Identifier<Application>) throws(DomainError) -> AuditHead? {
        try connection.first(AuditHeadRow.self, "FROM audit_heads WHERE application_id = $1", [.id(application)])
    }

    package func auditHeads() throws(DomainError) -> [AuditHead] {
        try connection.all(AuditHeadRow.self, "FROM audit_heads ORDER BY application_id")
    }

    package func replace(_ head: AuditHead) throws(DomainError) {
        try connection.insert(
            head, as: AuditHeadRow.self,
            """
            ON CONFLICT (application_id) DO UPDATE SET
                number = excluded.number, digest = excluded.digest, seal = excluded.seal
            """)
    }

    package func auditChain(
        of application: Identifier<Application>, after number: Int64, limit: Int
    ) throws(DomainError) -> [ChainedAuditEntry] {
        try connection.rows(
            .select(
                Joined<AuditEntryRow, AuditPositionRow>.self,
                "FROM audit_entries WHERE application_id = $1 AND number > $2 ORDER BY number LIMIT $3"),
            [.id(application), .integer(number), .count(limit)]
        ) { row throws(DomainError) in
            let position = try AuditPositionRow.content(ColumnReader(row, from: AuditEntryRow.width))
            return ChainedAuditEntry(
                entry: try AuditEntryRow.content(ColumnReader(row)), number: position.number, digest: position.digest)
        }
    }

    package func auditEntries(
        in application: Identifier<Application>, matching filter: AuditFilter, before id: Identifier<AuditEntry>?,
        limit: Int
    ) throws(DomainError) -> [AuditEntry] {
        // '~' stands after all letters and digits of ids. No actor, action or target is the empty text.
        try connection.all(
            AuditEntryRow.self,
            """
            FROM audit_entries
            WHERE application_id = $1 AND id < $2 AND ($3 = '' OR actor = $3) AND ($4 = '' OR action = $4)
                AND ($5 = '' OR target = $5)
            ORDER BY id DESC LIMIT $6
            """,
            [
                .id(application), .text(id?.rawValue ?? "~"), .text(filter.actor?.rawValue ?? ""),
                .text(filter.action?.rawValue ?? ""), .text(filter.target?.rawValue ?? ""), .count(limit),
            ])
    }

    package func newestAuditTime() throws(DomainError) -> Timestamp? {
        // The end of each log by its index: an index of all times would be written with each entry, and read at a start alone.
        try connection.row(
            """
            SELECT MAX(newest) FROM (
                SELECT (
                    SELECT happened_at FROM audit_entries WHERE application_id = logs.id ORDER BY id DESC LIMIT 1
                ) AS newest
                FROM (SELECT id FROM applications UNION ALL SELECT $1) AS logs) AS ends
            """, [.id(AuditEntry.server)]
        ) { row throws(DomainError) in row.only.isNull ? nil : row.only.time } ?? nil
    }

    package func auditEntries(
        about user: Identifier<User>, in application: Identifier<Application>, limit: Int
    ) throws(DomainError) -> [AuditEntry] {
        // Two index searches instead of one scan, of which each reads no more than the newest that are shown: the log keeps
        // all of a user for ever. What somebody did to themselves is in the first alone. SQLite takes a partial index of
        // `target <> actor` for a range of `target`, and not for `target = $2`; and reads it in its own order for a range.
        try connection.all(
            AuditEntryRow.self,
            """
            FROM audit_entries WHERE application_id = $1 AND id IN (
                SELECT id FROM (
                    SELECT id FROM audit_entries WHERE application_id = $1 AND actor = $2
                    ORDER BY id DESC LIMIT $3) AS did
                UNION SELECT id FROM (
                    SELECT id FROM audit_entries
                    WHERE application_id = $1 AND target >= $2 AND target <= $2 AND target <> actor
                    ORDER BY target DESC, id DESC LIMIT $3) AS had)
            ORDER BY id DESC LIMIT $3
            """,
            [.id(application), .text(AuditEntry.Actor.user(user).rawValue), .count(limit)])
    }
}
