package import Domain

extension SQLTransaction {
    package func replace(_ code: StoredTransferCode) throws(DomainError) {
        try connection.insert(
            code, as: TransferCodeRow.self,
            """
            ON CONFLICT (application_id, user_id) DO UPDATE SET
                digest = excluded.digest, issued_at = excluded.issued_at
            """)
    }

    package func transferCode(
        _ digest: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) -> StoredTransferCode? {
        try connection.first(
            TransferCodeRow.self, "FROM transfer_codes WHERE application_id = $1 AND digest = $2",
            [.id(application), .digest(digest)])
    }

    package func removeTransferCode(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        try connection.change(
            "DELETE FROM transfer_codes WHERE application_id = $1 AND user_id = $2", [.id(application), .id(user)]) > 0
    }

    package func insert(_ transfer: Transfer) throws(DomainError) {
        try connection.insert(transfer, as: TransferRow.self)
        note(.user(transfer.application, transfer.user))
    }

    package func transfers(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> [Transfer] {
        try connection.all(
            TransferRow.self,
            "FROM transfers WHERE application_id = $1 AND user_id = $2 ORDER BY id DESC LIMIT $3",
            [.id(application), .id(user), .count(Transfer.maximumPerUser)]
        ).reversed()
    }

    package func removeExcessTransfers(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) {
        // Ids grow with time.
        try connection.run(
            """
            DELETE FROM transfers WHERE application_id = $1 AND user_id = $2 AND id IN (
                SELECT id FROM transfers WHERE application_id = $1 AND user_id = $2
                ORDER BY id DESC LIMIT 1000 OFFSET $3)
            """, [.id(application), .id(user), .count(Transfer.maximumPerUser)])
    }

    package func transfer(
        codeDigest: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) -> Transfer? {
        try connection.first(
            TransferRow.self, "FROM transfers WHERE application_id = $1 AND code_digest = $2",
            [.id(application), .digest(codeDigest)])
    }

    package func update(_ transfer: Transfer) throws(DomainError) {
        try connection.run(
            """
            UPDATE transfers SET acknowledged_at = $1, undone_at = $2
            WHERE application_id = $3 AND user_id = $4 AND id = $5
            """,
            [
                .optional(transfer.acknowledgedAt), .optional(transfer.undoneAt), .id(transfer.application),
                .id(transfer.user), .id(transfer.id),
            ])
        note(.user(transfer.application, transfer.user))
    }

    package func move(_ transfer: Transfer, to user: Identifier<User>) throws(DomainError) {
        try connection.run(
            """
            UPDATE transfers SET user_id = $1, code_digest = $2
            WHERE application_id = $3 AND user_id = $4 AND id = $5
            """,
            [
                .id(user), .digest(transfer.spentDigest), .id(transfer.application), .id(transfer.user),
                .id(transfer.id),
            ])
        note(.user(transfer.application, transfer.user))
        note(.user(transfer.application, user))
    }

    package func remove(
        _ provider: Identity.Provider, subject: String, of user: Identifier<User>,
        in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        let count = try connection.change(
            "DELETE FROM identities WHERE application_id = $1 AND provider = $2 AND subject = $3 AND user_id = $4",
            [.id(application), .text(provider.rawValue), .text(subject), .id(user)])
        if provider.registers { try noteStanding(of: user, in: application) }
        note(.user(application, user))
        return count > 0
    }

    package func removeTransferCodes(issuedBefore limit: Timestamp, count: Int) throws(DomainError) -> Int {
        // The time is asked for twice: PostgreSQL looks at a row again that somebody replaces meanwhile, and at no other part of it.
        try connection.change(
            """
            DELETE FROM transfer_codes WHERE (application_id, user_id) IN (
                SELECT application_id, user_id FROM transfer_codes WHERE issued_at < $1 ORDER BY issued_at LIMIT $2)
                AND issued_at < $1
            """, [.time(limit), .count(count)])
    }

    package func removeTransfers(redeemedBefore limit: Timestamp, count: Int) throws(DomainError) -> Int {
        try connection.change(
            """
            DELETE FROM transfers WHERE (application_id, user_id, id) IN (
                SELECT application_id, user_id, id FROM transfers WHERE redeemed_at < $1 ORDER BY redeemed_at LIMIT $2)
            """, [.time(limit), .count(count)])
    }
}

package enum TransferCodeRow: StoredRow {
    package static let table: StaticString = "transfer_codes"

    package enum Column: Int, RowColumn {
        case applicationId, userId, digest, issuedAt
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> StoredTransferCode {
        StoredTransferCode(
            application: row.id(.applicationId), user: row.id(.userId), digest: try row.digest(.digest),
            issuedAt: row.time(.issuedAt))
    }

    package static func stored(_ code: StoredTransferCode, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .applicationId: .id(code.application)
        case .userId: .id(code.user)
        case .digest: .digest(code.digest)
        case .issuedAt: .time(code.issuedAt)
        }
    }
}

package enum TransferRow: StoredRow {
    package static let table: StaticString = "transfers"

    package enum Column: Int, RowColumn {
        case applicationId, userId, id, deviceKey, deviceName, deviceModel, deviceSystem, deviceAppVersion, address,
            codeDigest, leftUserId, redeemedAt, acknowledgedAt, undoneAt
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> Transfer {
        let device = DeviceDescription(
            name: row.optionalText(.deviceName), model: row.optionalText(.deviceModel),
            system: row.optionalText(.deviceSystem), appVersion: row.optionalText(.deviceAppVersion))
        var transfer = Transfer(
            id: row.id(.id), application: row.id(.applicationId), user: row.id(.userId),
            to: .init(key: row.text(.deviceKey), device: device, address: row.optionalText(.address)),
            codeDigest: try row.digest(.codeDigest), leftUser: row.optionalId(.leftUserId),
            redeemedAt: row.time(.redeemedAt))
        transfer.acknowledgedAt = row.optionalTime(.acknowledgedAt)
        transfer.undoneAt = row.optionalTime(.undoneAt)
        return transfer
    }

    package static func stored(_ transfer: Transfer, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .applicationId: .id(transfer.application)
        case .userId: .id(transfer.user)
        case .id: .id(transfer.id)
        case .deviceKey: .text(transfer.deviceKey)
        case .deviceName: .optional(transfer.device.name)
        case .deviceModel: .optional(transfer.device.model)
        case .deviceSystem: .optional(transfer.device.system)
        case .deviceAppVersion: .optional(transfer.device.appVersion)
        case .address: .optional(transfer.address)
        case .codeDigest: .digest(transfer.codeDigest)
        case .leftUserId: .optional(transfer.leftUser)
        case .redeemedAt: .time(transfer.redeemedAt)
        case .acknowledgedAt: .optional(transfer.acknowledgedAt)
        case .undoneAt: .optional(transfer.undoneAt)
        }
    }
}
