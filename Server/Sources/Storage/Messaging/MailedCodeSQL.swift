package import Domain

extension SQLTransaction {
    package func replaceCode(with code: MailedCode) throws(DomainError) {
        try removeCode(of: code.kind, user: code.user, in: code.application)
        try connection.run(
            """
            INSERT INTO mailed_codes (application_id, handle, digest, kind, user_id, address, replaces,
                expires_at, session_id)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """,
            [
                .id(code.application), .digest(code.handle), .digest(code.digest), .text(code.kind.rawValue),
                .id(code.user), .text(code.address), .optional(code.replaces), .time(code.expiresAt),
                .optional(code.session?.rawValue),
            ])
    }

    package func code(
        _ handle: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) -> MailedCode? {
        try connection.row(
            """
            SELECT application_id, handle, digest, kind, user_id, address, replaces, expires_at, used_by, session_id
            FROM mailed_codes WHERE application_id = $1 AND handle = $2
            """,
            [.id(application), .digest(handle)]
        ) { row throws(DomainError) in
            guard let kind = MailKind(rawValue: row.text(3)) else { throw .storageUnavailable }
            return MailedCode(
                application: row.id(0), handle: try row.digest(1), digest: try row.digest(2), kind: kind,
                user: row.id(4), address: row.text(5), replaces: row.optionalText(6), expiresAt: row.time(7),
                usedBy: row.isNull(8) ? nil : try row.digest(8), session: row.isNull(9) ? nil : row.id(9))
        }
    }

    package func markUsed(_ code: MailedCode) throws(DomainError) {
        try connection.run(
            "UPDATE mailed_codes SET used_by = $1 WHERE application_id = $2 AND handle = $3",
            [code.usedBy.map(Value.digest) ?? .null, .id(code.application), .digest(code.handle)])
    }

    package func mailedAddress(
        of kind: MailKind, user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> (address: String, expiresAt: Timestamp)? {
        try connection.row(
            """
            SELECT address, expires_at FROM mailed_codes
            WHERE application_id = $1 AND user_id = $2 AND kind = $3 AND used_by IS NULL
            """,
            [.id(application), .id(user), .text(kind.rawValue)]
        ) { row throws(DomainError) in (row.text(0), row.time(1)) }
    }

    package func removeCode(
        of kind: MailKind, user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) {
        try connection.run(
            "DELETE FROM mailed_codes WHERE application_id = $1 AND user_id = $2 AND kind = $3",
            [.id(application), .id(user), .text(kind.rawValue)])
    }

    package func removeCodes(
        of user: Identifier<User>, in application: Identifier<Application>, except kept: SecretDigest?
    ) throws(DomainError) -> Int {
        try connection.change(
            "DELETE FROM mailed_codes WHERE application_id = $1 AND user_id = $2 AND handle <> $3",
            [.id(application), .id(user), kept.map(Value.digest) ?? .bytes([])])
    }

    package func removeCodes(endedBefore limit: Timestamp) throws(DomainError) {
        try connection.run("DELETE FROM mailed_codes WHERE expires_at < $1", [.time(limit)])
    }
}
