package import Domain

extension SQLTransaction {
    package func insert(_ factor: TOTPFactor) throws(DomainError) {
        try connection.insert(factor, as: TOTPFactorRow.self)
    }

    package func totpFactors(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> [TOTPFactor] {
        try connection.all(
            TOTPFactorRow.self, "FROM totp_factors WHERE application_id = $1 AND user_id = $2 ORDER BY id",
            [.id(application), .id(user)])
    }

    package func update(_ factor: TOTPFactor) throws(DomainError) {
        try connection.run(
            """
            UPDATE totp_factors SET last_step = $1, last_used_at = $2
            WHERE application_id = $3 AND user_id = $4 AND id = $5
            """,
            try TOTPFactorRow.values(of: factor, .lastStep, .lastUsedAt, .applicationId, .userId, .id))
    }

    package func remove(_ factor: TOTPFactor) throws(DomainError) {
        try connection.run(
            "DELETE FROM totp_factors WHERE application_id = $1 AND user_id = $2 AND id = $3",
            try TOTPFactorRow.values(of: factor, .applicationId, .userId, .id))
    }

    package func updateSecondFactor(of user: User) throws(DomainError) {
        try connection.run(
            "UPDATE users SET second_factor_at = $1 WHERE application_id = $2 AND id = $3",
            try UserRow.values(of: user, .secondFactorAt, .applicationId, .id))
        if !user.hasSecondFactor {
            try connection.run(
                "UPDATE identities SET second_factor_at = NULL WHERE application_id = $1 AND user_id = $2",
                [.id(user.application), .id(user.id)])
            try connection.run(
                "UPDATE sessions SET second_factor_at = NULL WHERE application_id = $1 AND user_id = $2",
                [.id(user.application), .id(user.id)])
        }
        note(.user(user.application, user.id))
    }

    package func noteSecondFactor(
        ofDevice thumbprint: String, of user: Identifier<User>, in application: Identifier<Application>,
        at now: Timestamp
    ) throws(DomainError) {
        try connection.run(
            """
            UPDATE identities SET second_factor_at = $1
            WHERE application_id = $2 AND provider = 'device' AND subject = $3 AND user_id = $4
            """,
            [.time(now), .id(application), .text(thumbprint), .id(user)])
        note(.user(application, user))
    }

    package func noteSecondFactor(of session: Session) throws(DomainError) {
        try connection.run(
            """
            UPDATE sessions SET second_factor_at = $1
            WHERE application_id = $2 AND user_id = $3 AND id = $4
            """,
            try SessionRow.values(of: session, .secondFactorAt, .applicationId, .userId, .id))
        note(.user(session.application, session.user))
    }

    package func replaceRecoveryCodes(
        of user: Identifier<User>, in application: Identifier<Application>, with digests: [SecretDigest]
    ) throws(DomainError) {
        try connection.run(
            "DELETE FROM recovery_codes WHERE application_id = $1 AND user_id = $2", [.id(application), .id(user)])
        for digest in digests {
            try connection.run(
                "INSERT INTO recovery_codes (application_id, user_id, digest) VALUES ($1, $2, $3)",
                [.id(application), .id(user), .digest(digest)])
        }
    }

    package func removeRecoveryCode(
        _ digest: SecretDigest, of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        try connection.change(
            "DELETE FROM recovery_codes WHERE application_id = $1 AND user_id = $2 AND digest = $3",
            [.id(application), .id(user), .digest(digest)]) == 1
    }

    package func recoveryCodes(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> [SecretDigest] {
        try connection.all(
            RecoveryCodeRow.self, "FROM recovery_codes WHERE application_id = $1 AND user_id = $2 ORDER BY digest",
            [.id(application), .id(user)])
    }
}

package enum TOTPFactorRow: StoredRow {
    package static let table: StaticString = "totp_factors"

    package enum Column: Int, RowColumn {
        case applicationId, userId, id, name, sealedKey, lastStep, createdAt, lastUsedAt
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> TOTPFactor {
        TOTPFactor(
            id: row.id(.id), of: row.id(.userId), in: row.id(.applicationId), name: row.text(.name),
            sealedKey: row.bytes(.sealedKey), lastStep: row.integer(.lastStep), createdAt: row.time(.createdAt),
            lastUsedAt: row.optionalTime(.lastUsedAt))
    }

    package static func stored(_ factor: TOTPFactor, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .applicationId: .id(factor.application)
        case .userId: .id(factor.user)
        case .id: .id(factor.id)
        case .name: .text(factor.name)
        case .sealedKey: .bytes(factor.sealedKey)
        case .lastStep: .integer(factor.lastStep)
        case .createdAt: .time(factor.createdAt)
        case .lastUsedAt: .optional(factor.lastUsedAt)
        }
    }
}

/// The digest of a recovery code.
enum RecoveryCodeRow: Row {
    static let table: StaticString = "recovery_codes"

    enum Column: Int, RowColumn {
        case digest
    }

    static func content(_ row: ColumnReader<Column>) throws(DomainError) -> SecretDigest {
        try row.digest(.digest)
    }
}
