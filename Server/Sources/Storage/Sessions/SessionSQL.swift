package import Domain

extension SQLTransaction {
    package func session(
        token: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) -> (session: Session, user: User)? {
        let found = try connection.row(
            """
            SELECT id, application_id, user_id, device_key, device_name, device_model, device_system,
                device_app_version, address, protocol, method, created_at, last_used_at, expires_at, authenticated_at,
                installation
            FROM sessions WHERE application_id = $1 AND token_digest = $2
            """,
            [.id(application), .digest(token)], read: Self.session)
        guard let session = found, let user = try user(session.user, in: application) else { return nil }
        return (session, user)
    }

    package func sessions(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> [Session] {
        try connection.rows(
            """
            SELECT id, application_id, user_id, device_key, device_name, device_model, device_system,
                device_app_version, address, protocol, method, created_at, last_used_at, expires_at, authenticated_at,
                installation
            FROM sessions WHERE application_id = $1 AND user_id = $2 ORDER BY id DESC
            """,
            [.id(application), .id(user)], read: Self.session)
    }

    package func insert(
        _ session: Session, token: SecretDigest, attempt: SessionAttempt?
    ) throws(DomainError) {
        try connection.run(
            """
            INSERT INTO sessions (application_id, token_digest, id, user_id, device_key, device_name, device_model,
                device_system, device_app_version, address, protocol, method, created_at, last_used_at, expires_at,
                authenticated_at, attempt_digest, attempt_request_digest, attempt_was_new,
                attempt_previous_log_in_at, installation)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
                $21)
            """,
            [
                .id(session.application), .digest(token), .id(session.id), .id(session.user),
                .optional(session.deviceKey), .optional(session.device.name), .optional(session.device.model),
                .optional(session.device.system), .optional(session.device.appVersion), .optional(session.address),
                .text(session.protocolName.rawValue), .text(session.method.rawValue), .time(session.createdAt),
                .time(session.lastUsedAt), .time(session.expiresAt), .optional(session.authenticatedAt),
                attempt.map { .digest($0.digest) } ?? .null, attempt?.request.map { .digest($0) } ?? .null,
                attempt.map { .integer($0.isNew ? 1 : 0) } ?? .null, .optional(attempt?.previousLogInAt),
                .optional(session.device.installation),
            ])
    }

    package func session(
        attempt: SecretDigest, of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> (session: Session, attempt: SessionAttempt)? {
        let found = try connection.row(
            """
            SELECT id, application_id, user_id, device_key, device_name, device_model, device_system,
                device_app_version, address, protocol, method, created_at, last_used_at, expires_at,
                authenticated_at, installation, attempt_was_new, attempt_previous_log_in_at, attempt_request_digest
            FROM sessions WHERE application_id = $1 AND user_id = $2 AND attempt_digest = $3
            """,
            [.id(application), .id(user), .digest(attempt)]
        ) { row throws(DomainError) in
            (
                try Self.session(row),
                SessionAttempt(
                    digest: attempt, request: row.isNull(18) ? nil : try row.digest(18),
                    isNew: row.integer(16) == 1, previousLogInAt: row.optionalTime(17))
            )
        }
        return found.map { (session: $0.0, attempt: $0.1) }
    }

    package func replaceToken(of session: Session, with token: SecretDigest) throws(DomainError) {
        try connection.run(
            "UPDATE sessions SET token_digest = $1 WHERE application_id = $2 AND user_id = $3 AND id = $4",
            [.digest(token), .id(session.application), .id(session.user), .id(session.id)])
        note(.user(session.application, session.user))
    }

    package func updateAuthentication(of session: Session, token: SecretDigest) throws(DomainError) {
        try connection.run(
            """
            UPDATE sessions SET authenticated_at = $1, token_digest = $2
            WHERE application_id = $3 AND user_id = $4 AND id = $5
            """,
            [
                .optional(session.authenticatedAt), .digest(token), .id(session.application), .id(session.user),
                .id(session.id),
            ])
        note(.user(session.application, session.user))
    }

    package func noteUse(_ uses: [SessionTouch]) throws(DomainError) {
        for use in uses {
            try connection.run(
                """
                UPDATE sessions SET last_used_at = $1, address = $2
                WHERE application_id = $3 AND user_id = $4 AND id = $5
                """,
                [.time(use.at), .optional(use.address), .id(use.application), .id(use.user), .id(use.id)])
            if use.isFirstOfDay { try noteDay(of: use.user, in: use.application, at: use.at) }
        }
    }

    /// Reads sixteen columns of a session.
    static func session(_ row: any RowReader) throws(DomainError) -> Session {
        Session(
            id: row.id(0), application: row.id(1), user: row.id(2), deviceKey: row.optionalText(3),
            device: DeviceDescription(
                name: row.optionalText(4), model: row.optionalText(5), system: row.optionalText(6),
                appVersion: row.optionalText(7), installation: row.optionalText(15)),
            address: row.optionalText(8), protocolName: .init(rawValue: row.text(9)),
            method: .init(rawValue: row.text(10)), createdAt: row.time(11), lastUsedAt: row.time(12),
            expiresAt: row.time(13), authenticatedAt: row.optionalTime(14))
    }
}
