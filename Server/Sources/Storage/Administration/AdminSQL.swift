package import Domain

extension SQLTransaction {
    package func admin(_ id: Identifier<Admin>) throws(DomainError) -> Admin? {
        try connection.row(
            """
            SELECT id, name, role, applications, password_hash, sealed_totp, last_totp_step, recovery_digests,
                created_at, updated_at, last_log_in_at, disabled_at
            FROM admins WHERE id = $1
            """, [.id(id)], read: Self.admin)
    }

    package func admin(named folded: String) throws(DomainError) -> Admin? {
        try connection.row(
            """
            SELECT id, name, role, applications, password_hash, sealed_totp, last_totp_step, recovery_digests,
                created_at, updated_at, last_log_in_at, disabled_at
            FROM admins WHERE folded_name = $1
            """, [.text(folded)], read: Self.admin)
    }

    package func admins() throws(DomainError) -> [Admin] {
        try connection.rows(
            """
            SELECT id, name, role, applications, password_hash, sealed_totp, last_totp_step, recovery_digests,
                created_at, updated_at, last_log_in_at, disabled_at
            FROM admins ORDER BY id
            """, [], read: Self.admin)
    }

    package func insert(_ admin: Admin) throws(DomainError) {
        try connection.run(
            """
            INSERT INTO admins (id, name, folded_name, role, applications, password_hash, sealed_totp,
                last_totp_step, recovery_digests, created_at, updated_at, last_log_in_at, disabled_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
            """,
            [
                .id(admin.id), .text(admin.name), .text(admin.foldedName), .text(admin.role.rawValue),
                try Self.stored(admin.applications), .optional(admin.passwordHash?.text),
                admin.sealedTOTP.map { .bytes($0) } ?? .null, .integer(admin.lastTOTPStep),
                .bytes(admin.recoveryDigests.flatMap(\.bytes)), .time(admin.createdAt), .time(admin.updatedAt),
                .optional(admin.lastLogInAt), .optional(admin.disabledAt),
            ])
    }

    package func update(_ admin: Admin) throws(DomainError) {
        try connection.run(
            """
            UPDATE admins SET name = $1, folded_name = $2, role = $3, applications = $4, password_hash = $5,
                sealed_totp = $6, last_totp_step = $7, recovery_digests = $8, updated_at = $9, last_log_in_at = $10,
                disabled_at = $11
            WHERE id = $12
            """,
            [
                .text(admin.name), .text(admin.foldedName), .text(admin.role.rawValue),
                try Self.stored(admin.applications), .optional(admin.passwordHash?.text),
                admin.sealedTOTP.map { .bytes($0) } ?? .null, .integer(admin.lastTOTPStep),
                .bytes(admin.recoveryDigests.flatMap(\.bytes)), .time(admin.updatedAt), .optional(admin.lastLogInAt),
                .optional(admin.disabledAt), .id(admin.id),
            ])
    }

    package func removeAdmin(_ id: Identifier<Admin>) throws(DomainError) {
        try connection.run("DELETE FROM admins WHERE id = $1", [.id(id)])
    }

    /// Reads twelve columns.
    private static func admin(_ row: any RowReader) throws(DomainError) -> Admin {
        // A role that this program does not know may do nothing.
        guard let role = AdminRole(rawValue: row.text(2)) else { throw .storageUnavailable }
        var admin = Admin(
            id: row.id(0), name: row.text(1), role: role, applications: try applications(row, 3), createdAt: row.time(8)
        )
        admin.passwordHash = row.optionalText(4).map(PasswordHash.init(text:))
        admin.sealedTOTP = row.isNull(5) ? nil : row.bytes(5)
        admin.lastTOTPStep = row.integer(6)
        let digests = row.bytes(7)
        admin.recoveryDigests = stride(from: 0, to: digests.count, by: 32).compactMap {
            SecretDigest(stored: Array(digests[$0..<min($0 + 32, digests.count)]))
        }
        admin.updatedAt = row.time(9)
        admin.lastLogInAt = row.optionalTime(10)
        admin.disabledAt = row.optionalTime(11)
        return admin
    }

    static func stored(_ applications: Set<Identifier<Application>>?) throws(DomainError) -> Value {
        guard let applications else { return .null }
        return .text(try JSONText.encode(applications.map(\.rawValue).sorted()))
    }

    static func applications(_ row: any RowReader, _ column: Int) throws(DomainError) -> Set<Identifier<Application>>? {
        guard !row.isNull(column) else { return nil }
        return Set(try JSONText.decode([String].self, from: row.text(column)).map { Identifier(rawValue: $0) })
    }
}
