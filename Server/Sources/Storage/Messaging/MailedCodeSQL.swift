package import Domain

extension SQLTransaction {
    package func replaceCode(with code: MailedCode) throws(DomainError) {
        try removeCode(of: code.kind, user: code.user, in: code.application)
        try connection.insert(code, as: MailedCodeRow.self)
    }

    package func code(
        _ handle: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) -> MailedCode? {
        try connection.first(
            MailedCodeRow.self, "FROM mailed_codes WHERE application_id = $1 AND handle = $2",
            [.id(application), .digest(handle)])
    }

    package func markUsed(_ code: MailedCode) throws(DomainError) {
        try connection.run(
            "UPDATE mailed_codes SET used_by = $1 WHERE application_id = $2 AND handle = $3",
            [.optional(code.usedBy), .id(code.application), .digest(code.handle)])
    }

    package func mailedAddress(
        of kind: MailKind, user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> (address: String, expiresAt: Timestamp, origin: String?)? {
        let code = try connection.first(
            MailedCodeRow.self,
            "FROM mailed_codes WHERE application_id = $1 AND user_id = $2 AND kind = $3 AND used_by IS NULL",
            [.id(application), .id(user), .text(kind.rawValue)])
        return code.map { ($0.address, $0.expiresAt, $0.origin) }
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
            "DELETE FROM mailed_codes WHERE application_id = $1 AND user_id = $2 AND handle <> $3 AND kind <> $4",
            [
                .id(application), .id(user), kept.map(Value.digest) ?? .bytes([]),
                .text(MailKind.emailRecovery.rawValue),
            ])
    }

    package func removeCodes(endedBefore limit: Timestamp, count: Int) throws(DomainError) -> Int {
        try connection.change(
            """
            DELETE FROM mailed_codes WHERE (application_id, handle) IN (
                SELECT application_id, handle FROM mailed_codes WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
            """, [.time(limit), .count(count)])
    }
}
