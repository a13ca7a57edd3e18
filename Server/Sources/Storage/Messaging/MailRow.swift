package import Domain

package enum QueuedMailRow: StoredRow {
    package static let table: StaticString = "mail_queue"

    package enum Column: Int, RowColumn {
        case applicationId, id, kind, sealed, createdAt, expiresAt, attempts, nextTryAt, claim, lastFault
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> QueuedMail {
        guard let kind = MailKind(rawValue: row.text(.kind)) else { throw .storageUnavailable }
        var mail = QueuedMail(
            id: row.id(.id), application: row.id(.applicationId), kind: kind, sealed: row.optionalBytes(.sealed),
            createdAt: row.time(.createdAt), expiresAt: row.time(.expiresAt),
            nextTryAt: row.optionalTime(.nextTryAt))
        mail.attempts = row.count(.attempts)
        mail.claim = row.optionalText(.claim)
        mail.lastFault = row.optionalText(.lastFault)
        return mail
    }

    package static func stored(_ mail: QueuedMail, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .applicationId: .id(mail.application)
        case .id: .id(mail.id)
        case .kind: .text(mail.kind.rawValue)
        case .sealed: .optional(mail.sealed)
        case .createdAt: .time(mail.createdAt)
        case .expiresAt: .time(mail.expiresAt)
        case .attempts: .count(mail.attempts)
        case .nextTryAt: .optional(mail.nextTryAt)
        case .claim: .optional(mail.claim)
        case .lastFault: .optional(mail.lastFault)
        }
    }
}

package enum OutboxMailRow: StoredRow {
    package static let table: StaticString = "mail_outbox"

    package enum Column: Int, RowColumn {
        case id, applicationId, sealed, createdAt
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> OutboxMail {
        OutboxMail(
            id: row.id(.id), application: row.id(.applicationId), sealed: row.bytes(.sealed),
            createdAt: row.time(.createdAt))
    }

    package static func stored(_ mail: OutboxMail, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .id: .id(mail.id)
        case .applicationId: .id(mail.application)
        case .sealed: .bytes(mail.sealed)
        case .createdAt: .time(mail.createdAt)
        }
    }
}

package enum MailedCodeRow: StoredRow {
    package static let table: StaticString = "mailed_codes"

    package enum Column: Int, RowColumn {
        case applicationId, handle, digest, kind, userId, address, replaces, expiresAt, usedBy, sessionId
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> MailedCode {
        guard let kind = MailKind(rawValue: row.text(.kind)) else { throw .storageUnavailable }
        var code = MailedCode(
            application: row.id(.applicationId), handle: try row.digest(.handle), digest: try row.digest(.digest),
            kind: kind, user: row.id(.userId), address: row.text(.address), replaces: row.optionalText(.replaces),
            expiresAt: row.time(.expiresAt))
        code.usedBy = try row.optionalDigest(.usedBy)
        code.origin = row.optionalText(.sessionId)
        return code
    }

    package static func stored(_ code: MailedCode, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .applicationId: .id(code.application)
        case .handle: .digest(code.handle)
        case .digest: .digest(code.digest)
        case .kind: .text(code.kind.rawValue)
        case .userId: .id(code.user)
        case .address: .text(code.address)
        case .replaces: .optional(code.replaces)
        case .expiresAt: .time(code.expiresAt)
        case .usedBy: .optional(code.usedBy)
        case .sessionId: .optional(code.origin)
        }
    }
}
