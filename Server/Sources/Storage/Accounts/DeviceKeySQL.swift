package import Domain

extension SQLTransaction {
    package func keep(_ key: RemovedDeviceKey) throws(DomainError) {
        try connection.insert(
            key, as: RemovedDeviceKeyRow.self,
            """
            ON CONFLICT (application_id, thumbprint) DO UPDATE SET
                user_id = excluded.user_id, reason = excluded.reason, removed_at = excluded.removed_at
            """)
    }

    package func removedDeviceKey(
        _ thumbprint: String, in application: Identifier<Application>
    ) throws(DomainError) -> RemovedDeviceKey? {
        try connection.first(
            RemovedDeviceKeyRow.self, "FROM removed_device_keys WHERE application_id = $1 AND thumbprint = $2",
            [.id(application), .text(thumbprint)])
    }

    package func forgetRemovedDeviceKey(
        _ thumbprint: String, in application: Identifier<Application>
    ) throws(DomainError) {
        try connection.run(
            "DELETE FROM removed_device_keys WHERE application_id = $1 AND thumbprint = $2",
            [.id(application), .text(thumbprint)])
    }

    package func forgetRemovedDeviceKeys(before limit: Timestamp, count: Int) throws(DomainError) -> Int {
        // The time is asked for twice, as of transfer codes: a key may be removed again meanwhile.
        try connection.change(
            """
            DELETE FROM removed_device_keys WHERE (application_id, thumbprint) IN (
                SELECT application_id, thumbprint FROM removed_device_keys
                WHERE removed_at < $1 ORDER BY removed_at LIMIT $2)
                AND removed_at < $1
            """, [.time(limit), .count(count)])
    }

    package func removeDeviceKeys(
        of user: Identifier<User>, in application: Identifier<Application>, except kept: String?,
        because reason: RemovedDeviceKey.Reason, at now: Timestamp
    ) throws(DomainError) {
        // No key has the empty thumbprint.
        let keys: [Value] = [
            .id(application), .id(user), .text(Identity.Provider.device.rawValue), .text(kept ?? ""),
        ]
        try connection.run(
            """
            INSERT INTO removed_device_keys (application_id, thumbprint, user_id, reason, removed_at)
            SELECT application_id, subject, user_id, CAST($1 AS TEXT), CAST($2 AS BIGINT) FROM identities
            WHERE application_id = $3 AND user_id = $4 AND provider = $5 AND subject <> $6
            ON CONFLICT (application_id, thumbprint) DO UPDATE SET
                user_id = excluded.user_id, reason = excluded.reason, removed_at = excluded.removed_at
            """, [.text(reason.rawValue), .time(now)] + keys)
        try connection.run(
            "DELETE FROM identities WHERE application_id = $1 AND user_id = $2 AND provider = $3 AND subject <> $4",
            keys)
        note(.user(application, user))
    }

    package func voidTickets(of user: inout User) throws(DomainError) {
        user.credentialsVersion += 1
        try connection.run(
            "UPDATE users SET credentials_version = $1 WHERE application_id = $2 AND id = $3",
            [.integer(user.credentialsVersion), .id(user.application), .id(user.id)])
        note(.user(user.application, user.id))
    }
}

package enum RemovedDeviceKeyRow: StoredRow {
    package static let table: StaticString = "removed_device_keys"

    package enum Column: Int, RowColumn {
        case applicationId, thumbprint, userId, reason, removedAt
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> RemovedDeviceKey {
        RemovedDeviceKey(
            application: row.id(.applicationId), thumbprint: row.text(.thumbprint), user: row.id(.userId),
            reason: .init(rawValue: row.text(.reason)), removedAt: row.time(.removedAt))
    }

    package static func stored(_ key: RemovedDeviceKey, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .applicationId: .id(key.application)
        case .thumbprint: .text(key.thumbprint)
        case .userId: .id(key.user)
        case .reason: .text(key.reason.rawValue)
        case .removedAt: .time(key.removedAt)
        }
    }
}
