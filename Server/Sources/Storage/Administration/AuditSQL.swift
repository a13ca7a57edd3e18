package import Domain

extension SQLTransaction {
    package func insert(_ entry: AuditEntry) throws(DomainError) {
        try connection.run(
            """
            INSERT INTO audit_entries (application_id, id, happened_at, actor, action, target, result, address,
                user_agent, request_id, details, seal)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            """,
            [
                .id(entry.application), .id(entry.id), .time(entry.at), .text(entry.actor.rawValue),
                .text(entry.action.rawValue), .optional(entry.target?.rawValue), .text(entry.result.rawValue),
                .optional(entry.origin.address), .optional(entry.origin.userAgent), .optional(entry.origin.requestId),
                entry.details.isEmpty ? .null : .text(try JSONText.encode(entry.details)), .digest(entry.seal),
            ])
    }

    package func unchainedAuditEntries(limit: Int) throws(DomainError) -> [AuditEntry] {
        try connection.rows(
            """
            SELECT application_id, id, happened_at, actor, action, target, result, address, user_agent, request_id,
                details, seal
            FROM audit_entries WHERE number IS NULL ORDER BY application_id, id LIMIT $1
            """,
            [.count(limit)], read: Self.auditEntry)
    }

    package func place(_ entry: ChainedAuditEntry) throws(DomainError) {
        try connection.run(
            "UPDATE audit_entries SET number = $1, digest = $2 WHERE application_id = $3 AND id = $4",
            [.integer(entry.number), .digest(entry.digest), .id(entry.entry.application), .id(entry.entry.id)])
    }

    package func auditHead(of application: Identifier<Application>) throws(DomainError) -> AuditHead? {
        try connection.row(
            "SELECT application_id, number, digest, seal FROM audit_heads WHERE application_id = $1",
            [.id(application)], read: Self.auditHead)
    }

    package func auditHeads() throws(DomainError) -> [AuditHead] {
        try connection.rows(
            "SELECT application_id, number, digest, seal FROM audit_heads ORDER BY application_id", [],
            read: Self.auditHead)
    }

    package func replace(_ head: AuditHead) throws(DomainError) {
        try connection.run(
            """
            INSERT INTO audit_heads (application_id, number, digest, seal) VALUES ($1, $2, $3, $4)
            ON CONFLICT (application_id) DO UPDATE SET number = $2, digest = $3, seal = $4
            """,
            [.id(head.application), .integer(head.number), .digest(head.digest), .digest(head.seal)])
    }

    package func auditChain(
        of application: Identifier<Application>, after number: Int64, limit: Int
    ) throws(DomainError) -> [ChainedAuditEntry] {
        try connection.rows(
            """
            SELECT application_id, id, happened_at, actor, action, target, result, address, user_agent, request_id,
                details, seal, number, digest
            FROM audit_entries WHERE application_id = $1 AND number > $2 ORDER BY number LIMIT $3
            """,
            [.id(application), .integer(number), .count(limit)]
        ) { row throws(DomainError) in
            ChainedAuditEntry(
                entry: try Self.auditEntry(row), number: row.integer(12), digest: Self.storedDigest(row, 13))
        }
    }

    package func auditEntries(
        in application: Identifier<Application>, matching filter: AuditFilter, before id: Identifier<AuditEntry>?,
        limit: Int
    ) throws(DomainError) -> [AuditEntry] {
        // '~' stands after all letters and digits of ids. No actor, action or target is the empty text.
        try connection.rows(
            """
            SELECT application_id, id, happened_at, actor, action, target, result, address, user_agent, request_id,
                details, seal
            FROM audit_entries
            WHERE application_id = $1 AND id < $2 AND ($3 = '' OR actor = $3) AND ($4 = '' OR action = $4)
                AND ($5 = '' OR target = $5)
            ORDER BY id DESC LIMIT $6
            """,
            [
                .id(application), .text(id?.rawValue ?? "~"), .text(filter.actor?.rawValue ?? ""),
                .text(filter.action?.rawValue ?? ""), .text(filter.target?.rawValue ?? ""), .count(limit),
            ], read: Self.auditEntry)
    }

    package func auditEntries(
        about user: Identifier<User>, in application: Identifier<Application>, limit: Int
    ) throws(DomainError) -> [AuditEntry] {
        // Two index searches instead of one scan.
        try connection.rows(
            """
            SELECT application_id, id, happened_at, actor, action, target, result, address, user_agent, request_id,
                details, seal
            FROM audit_entries WHERE application_id = $1 AND id IN (
                SELECT id FROM audit_entries WHERE application_id = $1 AND actor = $2
                UNION SELECT id FROM audit_entries WHERE application_id = $1 AND target = $2)
            ORDER BY id DESC LIMIT $3
            """,
            [.id(application), .text(AuditEntry.Actor.user(user).rawValue), .count(limit)],
            read: Self.auditEntry)
    }

    /// Reads twelve columns. What somebody spoilt is read as something that fits no seal, so that verifying tells it.
    private static func auditEntry(_ row: any RowReader) throws(DomainError) -> AuditEntry {
        var details: [String: String] = [:]
        if !row.isNull(10) {
            do throws(DomainError) {
                details = try JSONText.decode([String: String].self, from: row.text(10))
            } catch {
                details = ["unreadable": row.text(10)]
            }
        }
        return AuditEntry(
            id: row.id(1), application: row.id(0), at: row.time(2), actor: .init(rawValue: row.text(3)),
            action: .init(rawValue: row.text(4)), target: row.optionalText(5).map { .init(rawValue: $0) },
            result: AuditEntry.Result(rawValue: row.text(6)) ?? .refused,
            origin: RequestOrigin(
                address: row.optionalText(7), userAgent: row.optionalText(8), requestId: row.optionalText(9)),
            details: details, seal: storedDigest(row, 11))
    }

    private static func auditHead(_ row: any RowReader) throws(DomainError) -> AuditHead {
        AuditHead(
            application: row.id(0), number: row.integer(1), digest: storedDigest(row, 2), seal: storedDigest(row, 3))
    }

    /// A digest, or one that fits nothing when the bytes are none.
    private static func storedDigest(_ row: any RowReader, _ column: Int) -> SecretDigest {
        SecretDigest(stored: row.bytes(column)) ?? SecretDigest(of: [])
    }
}
