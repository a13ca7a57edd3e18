package import Domain

extension SQLTransaction {
    package func replace(_ code: StoredTransferCode) throws(DomainError) {
        try connection.run(
            """
            INSERT INTO transfer_codes (application_id, user_id, digest, issued_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (application_id, user_id) DO UPDATE SET digest = $3, issued_at = $4
            """,
            [.id(code.application), .id(code.user), .digest(code.digest), .time(code.issuedAt)])
    }

    package func transferCode(
        _ digest: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) -> StoredTransferCode? {
        try connection.row(
            """
            SELECT application_id, user_id, digest, issued_at FROM transfer_codes
            WHERE application_id = $1 AND digest = $2
            """,
            [.id(application), .digest(digest)]
        ) { row throws(DomainError) in
            StoredTransferCode(
                application: row.id(0), user: row.id(1), digest: try row.digest(2), issuedAt: row.time(3))
        }
    }

    package func removeTransferCode(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        try connection.change(
            "DELETE FROM transfer_codes WHERE application_id = $1 AND user_id = $2", [.id(application), .id(user)]) > 0
    }

    package func insert(_ transfer: Transfer) throws(DomainError) {
        try connection.run(
            """
            INSERT INTO transfers (application_id, user_id, id, device_key, device_name, device_model, device_system,
                device_app_version, address, code_digest, left_user_id, redeemed_at, acknowledged_at, undone_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
            """,
            [
                .id(transfer.application), .id(transfer.user), .id(transfer.id), .text(transfer.deviceKey),
                .optional(transfer.device.name), .optional(transfer.device.model), .optional(transfer.device.system),
                .optional(transfer.device.appVersion), .optional(transfer.address), .digest(transfer.codeDigest),
                .optional(transfer.leftUser?.rawValue), .time(transfer.redeemedAt), .optional(transfer.acknowledgedAt),
                .optional(transfer.undoneAt),
            ])
        note(.user(transfer.application, transfer.user))
    }

    package func transfers(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> [Transfer] {
        try connection.rows(
            """
            SELECT application_id, user_id, id, device_key, device_name, device_model, device_system,
                device_app_version, address, code_digest, left_user_id, redeemed_at, acknowledged_at, undone_at
            FROM transfers WHERE application_id = $1 AND user_id = $2 ORDER BY id
            """,
            [.id(application), .id(user)], read: Self.transfer)
    }

    package func transfer(
        codeDigest: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) -> Transfer? {
        try connection.row(
            """
            SELECT application_id, user_id, id, device_key, device_name, device_model, device_system,
                device_app_version, address, code_digest, left_user_id, redeemed_at, acknowledged_at, undone_at
            FROM transfers WHERE application_id = $1 AND code_digest = $2
            """,
            [.id(application), .digest(codeDigest)], read: Self.transfer)
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

    package func endSessions(
        of user: Identifier<User>, in application: Identifier<Application>, deviceKey: String
    ) throws(DomainError) -> Int {
        let count = try connection.change(
            "DELETE FROM sessions WHERE application_id = $1 AND user_id = $2 AND device_key = $3",
            [.id(application), .id(user), .text(deviceKey)])
        note(.user(application, user))
        return count
    }

    package func removeTransfers(
        issuedBefore codes: Timestamp, redeemedBefore transfers: Timestamp
    ) throws(DomainError) {
        try connection.run("DELETE FROM transfer_codes WHERE issued_at < $1", [.time(codes)])
        try connection.run("DELETE FROM transfers WHERE redeemed_at < $1", [.time(transfers)])
    }

    private static func transfer(_ row: any RowReader) throws(DomainError) -> Transfer {
        Transfer(
            id: row.id(2), application: row.id(0), user: row.id(1), deviceKey: row.text(3),
            device: DeviceDescription(
                name: row.optionalText(4), model: row.optionalText(5), system: row.optionalText(6),
                appVersion: row.optionalText(7)),
            address: row.optionalText(8), codeDigest: try row.digest(9),
            leftUser: row.isNull(10) ? nil : row.id(10), redeemedAt: row.time(11),
            acknowledgedAt: row.optionalTime(12), undoneAt: row.optionalTime(13))
    }
}
