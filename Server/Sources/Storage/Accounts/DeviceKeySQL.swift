package import Domain

extension SQLTransaction {
    package func keep(_ key: RemovedDeviceKey) throws(DomainError) {
        try connection.run(
            """
            INSERT INTO removed_device_keys (application_id, thumbprint, user_id, reason, removed_at)
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (application_id, thumbprint) DO UPDATE SET user_id = $3, reason = $4, removed_at = $5
            """,
            [
                .id(key.application), .text(key.thumbprint), .id(key.user), .text(key.reason.rawValue),
                .time(key.removedAt),
            ])
    }

    package func removedDeviceKey(
        _ thumbprint: String, in application: Identifier<Application>
    ) throws(DomainError) -> RemovedDeviceKey? {
        try connection.row(
            """
            SELECT application_id, thumbprint, user_id, reason, removed_at FROM removed_device_keys
            WHERE application_id = $1 AND thumbprint = $2
            """,
            [.id(application), .text(thumbprint)]
        ) { row throws(DomainError) in
            RemovedDeviceKey(
                application: row.id(0), thumbprint: row.text(1), user: row.id(2), reason: .init(rawValue: row.text(3)),
                removedAt: row.time(4))
        }
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
