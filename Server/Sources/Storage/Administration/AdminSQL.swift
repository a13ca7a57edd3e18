package import Domain

extension SQLTransaction {
    package func admin(_ id: Identifier<Admin>) throws(DomainError) -> Admin? {
        try connection.first(AdminRow.self, "FROM admins WHERE id = $1", [.id(id)])
    }

    package func admin(named folded: String) throws(DomainError) -> Admin? {
        try connection.first(AdminRow.self, "FROM admins WHERE folded_name = $1", [.text(folded)])
    }

    package func admins() throws(DomainError) -> [Admin] {
        // One whose role a newer program knows is in none of this program's lists, and may do nothing here.
        try connection.all(
            AdminRow.self, "FROM admins WHERE REPLACE($1, ' ' || role || ' ', '') <> $1 ORDER BY id",
            [.list(AdminRole.allCases.map(\.rawValue))])
    }

    package func insert(_ admin: Admin) throws(DomainError) {
        try connection.insert(admin, as: AdminRow.self)
    }

    package func update(_ admin: Admin) throws(DomainError) {
        try connection.run(
            """
            UPDATE admins SET name = $1, folded_name = $2, role = $3, applications = $4, password_hash = $5,
                sealed_totp = $6, last_totp_step = $7, recovery_digests = $8, updated_at = $9, last_log_in_at = $10,
                disabled_at = $11, uses_passkeys_only = $12
            WHERE id = $13
            """,
            try AdminRow.values(
                of: admin, .name, .foldedName, .role, .applications, .passwordHash, .sealedTotp, .lastTotpStep,
                .recoveryDigests, .updatedAt, .lastLogInAt, .disabledAt, .usesPasskeysOnly, .id))
    }

    package func removeAdmin(_ id: Identifier<Admin>) throws(DomainError) {
        try connection.run("DELETE FROM admins WHERE id = $1", [.id(id)])
    }
}
