package import Domain

/// Damaged values are read as values that fit no seal, so that verification finds them.
package enum AuditEntryRow: StoredRow {
    package static let table: StaticString = "audit_entries"

    package enum Column: Int, RowColumn {
        case applicationId, id, happenedAt, actor, action, target, result, address, userAgent, requestId,
            details, seal
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> AuditEntry {
        AuditEntry(
            id: row.id(.id), application: row.id(.applicationId), at: row.time(.happenedAt),
            by: Operator(
                actor: .init(rawValue: row.text(.actor)),
                origin: RequestOrigin(
                    address: row.optionalText(.address), userAgent: row.optionalText(.userAgent),
                    requestId: row.optionalText(.requestId))),
            did: .init(
                .init(rawValue: row.text(.action)), on: row.optionalText(.target).map { .init(rawValue: $0) },
                result: AuditEntry.Result(rawValue: row.text(.result)) ?? .refused,
                details: details(row.optionalText(.details))), seal: row.damagedDigest(.seal))
    }

    package static func stored(_ entry: AuditEntry, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .applicationId: .id(entry.application)
        case .id: .id(entry.id)
        case .happenedAt: .time(entry.at)
        case .actor: .text(entry.actor.rawValue)
        case .action: .text(entry.action.rawValue)
        case .target: .optional(entry.target?.rawValue)
        case .result: .text(entry.result.rawValue)
        case .address: .optional(entry.origin.address)
        case .userAgent: .optional(entry.origin.userAgent)
        case .requestId: .optional(entry.origin.requestId)
        case .details: entry.details.isEmpty ? .null : .text(JSONText.encode(entry.details))
        case .seal: .digest(entry.seal)
        }
    }

    private static func details(_ text: String?) -> [String: String] {
        guard let text else { return [:] }
        do throws(DomainError) {
            return try JSONText.decode([String: String].self, from: text)
        } catch {
            return ["unreadable": text]
        }
    }
}

/// The position of an entry in its chain.
enum AuditPositionRow: Row {
    static let table: StaticString = "audit_entries"

    enum Column: Int, RowColumn {
        case number, digest
    }

    static func content(_ row: ColumnReader<Column>) throws(DomainError) -> (number: Int64, digest: SecretDigest) {
        (row.integer(.number), row.damagedDigest(.digest))
    }
}

package enum AuditHeadRow: StoredRow {
    package static let table: StaticString = "audit_heads"

    package enum Column: Int, RowColumn {
        case applicationId, number, digest, seal
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> AuditHead {
        AuditHead(
            application: row.id(.applicationId), number: row.integer(.number), digest: row.damagedDigest(.digest),
            seal: row.damagedDigest(.seal))
    }

    package static func stored(_ head: AuditHead, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .applicationId: .id(head.application)
        case .number: .integer(head.number)
        case .digest: .digest(head.digest)
        case .seal: .digest(head.seal)
        }
    }
}

extension ColumnReader {
    /// A digest, or one that fits nothing when the bytes are none.
    fileprivate func damagedDigest(_ column: Column) -> SecretDigest {
        SecretDigest(stored: bytes(column)) ?? SecretDigest(of: [])
    }
}
