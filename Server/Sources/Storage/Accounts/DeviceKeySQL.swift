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

    package func forgetRemovedDeviceKeys(before limit: Timestamp) throws(DomainError) {
        try connection.run("DELETE FROM removed_device_keys WHERE removed_at < $1", [.time(limit)])
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
