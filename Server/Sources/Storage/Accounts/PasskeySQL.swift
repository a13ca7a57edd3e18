package import Domain

extension SQLTransaction {
    package func insert(_ passkey: Passkey) throws(DomainError) {
        try connection.insert(passkey, as: PasskeyRow.self)
    }

    package func passkey(
        _ id: String, in application: Identifier<Application>
    ) throws(DomainError) -> Passkey? {
        try connection.first(
            PasskeyRow.self, "FROM passkeys WHERE application_id = $1 AND credential_id = $2",
            [.id(application), .text(id)])
    }

    package func hasPasskey(_ id: String) throws(DomainError) -> Bool {
        try connection.first(PasskeyRow.self, "FROM passkeys WHERE credential_id = $1 LIMIT 1", [.text(id)]) != nil
    }

    package func passkeys(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> [Passkey] {
        try connection.all(
            PasskeyRow.self,
            """
            FROM passkeys WHERE application_id = $1 AND credential_id IN (
                SELECT subject FROM identities
                WHERE application_id = $1 AND user_id = $2 AND provider = 'passkey')
            ORDER BY created_at, credential_id
            """,
            [.id(application), .id(user)])
    }

    package func note(
        _ use: Passkey.Use, of passkey: String, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        try connection.change(
            """
            UPDATE passkeys SET sign_count = $1, is_backed_up = $2, last_used_at = $3
            WHERE application_id = $4 AND credential_id = $5 AND is_backup_eligible = $6
                AND (sign_count < $1 OR sign_count = 0 AND $1 = 0)
            """,
            [
                .integer(use.signCount), .truth(use.isBackedUp), .time(use.at), .id(application), .text(passkey),
                .truth(use.isBackupEligible),
            ]) == 1
    }

    package func updateName(of passkey: Passkey) throws(DomainError) {
        try connection.run(
            "UPDATE passkeys SET name = $1 WHERE application_id = $2 AND credential_id = $3",
            try PasskeyRow.values(of: passkey, .name, .applicationId, .credentialId))
    }

    /// Forgets the passkey of an identity that leads to nobody any more.
    func removePasskey(_ id: String, in application: Identifier<Application>) throws(DomainError) {
        try connection.run(
            "DELETE FROM passkeys WHERE application_id = $1 AND credential_id = $2", [.id(application), .text(id)])
    }
}

package enum PasskeyRow: StoredRow {
    package static let table: StaticString = "passkeys"

    package enum Column: Int, RowColumn {
        case applicationId, credentialId, userHandle, publicKey, name, aaguid, signCount, transports, isBackupEligible
        case isBackedUp, createdAt, lastUsedAt
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> Passkey {
        Passkey(
            Passkey.Credential(
                id: row.text(.credentialId), userHandle: row.text(.userHandle), publicKey: row.bytes(.publicKey),
                aaguid: row.text(.aaguid), signCount: row.integer(.signCount),
                transports: row.text(.transports).split(separator: " ").map(String.init),
                isBackupEligible: row.isTrue(.isBackupEligible), isBackedUp: row.isTrue(.isBackedUp)),
            application: row.id(.applicationId), name: row.text(.name), createdAt: row.time(.createdAt),
            lastUsedAt: row.optionalTime(.lastUsedAt))
    }

    package static func stored(_ passkey: Passkey, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .applicationId: .id(passkey.application)
        case .credentialId: .text(passkey.id)
        case .userHandle: .text(passkey.userHandle)
        case .publicKey: .bytes(passkey.publicKey)
        case .name: .text(passkey.name)
        case .aaguid: .text(passkey.aaguid)
        case .signCount: .integer(passkey.signCount)
        case .transports: .text(passkey.transports.joined(separator: " "))
        case .isBackupEligible: .truth(passkey.isBackupEligible)
        case .isBackedUp: .truth(passkey.isBackedUp)
        case .createdAt: .time(passkey.createdAt)
        case .lastUsedAt: .optional(passkey.lastUsedAt)
        }
    }
}
