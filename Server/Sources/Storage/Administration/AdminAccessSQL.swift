package import Domain

extension SQLTransaction {
    package func insert(_ session: AdminSession) throws(DomainError) {
        try connection.run(
            """
            INSERT INTO admin_sessions (digest, admin_id, created_at, last_used_at, authenticated_at)
            VALUES ($1, $2, $3, $4, $5)
            """,
            [
                .digest(session.digest), .id(session.admin), .time(session.createdAt), .time(session.lastUsedAt),
                .time(session.authenticatedAt),
            ])
    }

    package func adminSession(_ digest: SecretDigest) throws(DomainError) -> AdminSession? {
        try connection.row(
            """
            SELECT digest, admin_id, created_at, last_used_at, authenticated_at FROM admin_sessions WHERE digest = $1
            """, [.digest(digest)]
        ) { row throws(DomainError) in
            var session = AdminSession(digest: try row.digest(0), admin: row.id(1), createdAt: row.time(2))
            (session.lastUsedAt, session.authenticatedAt) = (row.time(3), row.time(4))
            return session
        }
    }

    package func noteUse(of session: AdminSession) throws(DomainError) {
        try connection.run(
            "UPDATE admin_sessions SET last_used_at = $1 WHERE digest = $2",
            [.time(session.lastUsedAt), .digest(session.digest)])
    }

    package func removeAdminSession(_ digest: SecretDigest) throws(DomainError) {
        try connection.run("DELETE FROM admin_sessions WHERE digest = $1", [.digest(digest)])
    }

    package func removeAccess(of admin: Identifier<Admin>) throws(DomainError) {
        try connection.run("DELETE FROM admin_sessions WHERE admin_id = $1", [.id(admin)])
        try connection.run("DELETE FROM admin_links WHERE admin_id = $1", [.id(admin)])
    }

    package func removeAdminAccess(at now: Timestamp) throws(DomainError) {
        try connection.run(
            "DELETE FROM admin_sessions WHERE created_at < $1 OR last_used_at < $2",
            [.time(now - AdminSession.lifetime), .time(now - AdminSession.idleLifetime)])
        try connection.run("DELETE FROM admin_links WHERE expires_at < $1", [.time(now)])
        // For a month it can be seen why a program is refused.
        try connection.run("DELETE FROM admin_keys WHERE expires_at < $1", [.time(now - .days(30))])
    }

    package func insert(_ link: AdminLink) throws(DomainError) {
        try connection.run(
            "INSERT INTO admin_links (digest, admin_id, sealed_totp, expires_at) VALUES ($1, $2, $3, $4)",
            [
                .digest(link.digest), .optional(link.admin?.rawValue), .bytes(link.sealedTOTP), .time(link.expiresAt),
            ])
    }

    package func adminLink(_ digest: SecretDigest) throws(DomainError) -> AdminLink? {
        try connection.row(
            "SELECT digest, admin_id, sealed_totp, expires_at FROM admin_links WHERE digest = $1", [.digest(digest)]
        ) { row throws(DomainError) in
            AdminLink(
                digest: try row.digest(0), admin: row.isNull(1) ? nil : row.id(1), sealedTOTP: row.bytes(2),
                expiresAt: row.time(3))
        }
    }

    package func remove(_ link: AdminLink) throws(DomainError) -> Bool {
        try connection.change("DELETE FROM admin_links WHERE digest = $1", [.digest(link.digest)]) > 0
    }

    package func removeOwnerLinks() throws(DomainError) {
        try connection.run("DELETE FROM admin_links WHERE admin_id IS NULL")
    }

    package func insert(_ key: AdminKey) throws(DomainError) {
        try connection.run(
            """
            INSERT INTO admin_keys (digest, id, name, scopes, applications, admin_id, created_by, created_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """,
            [
                .digest(key.digest), .id(key.id), .text(key.name),
                .text(key.scopes.map(\.rawValue).sorted().joined(separator: " ")), try Self.stored(key.applications),
                .id(key.maker), .text(key.createdBy), .time(key.createdAt), .time(key.expiresAt),
            ])
    }

    package func adminKey(_ digest: SecretDigest) throws(DomainError) -> AdminKey? {
        try connection.row(
            """
            SELECT digest, id, name, scopes, applications, admin_id, created_by, created_at, expires_at
            FROM admin_keys WHERE digest = $1
            """, [.digest(digest)], read: Self.adminKey)
    }

    package func adminKeys() throws(DomainError) -> [AdminKey] {
        try connection.rows(
            """
            SELECT digest, id, name, scopes, applications, admin_id, created_by, created_at, expires_at
            FROM admin_keys ORDER BY id DESC
            """, [], read: Self.adminKey)
    }

    package func removeAdminKey(_ id: Identifier<AdminKey>) throws(DomainError) -> Bool {
        try connection.change("DELETE FROM admin_keys WHERE id = $1", [.id(id)]) > 0
    }

    package func removeAdminKeys(madeBy admin: Identifier<Admin>) throws(DomainError) -> Int {
        try connection.change("DELETE FROM admin_keys WHERE admin_id = $1", [.id(admin)])
    }

    package func application(adminKey digest: SecretDigest) throws(DomainError) -> Application? {
        let id: Identifier<Application>? = try connection.row(
            "SELECT id FROM applications WHERE admin_key_digest = $1", [.digest(digest)]
        ) { row throws(DomainError) in row.id(0) }
        guard let id else { return nil }
        return try application(id)
    }

    private static func adminKey(_ row: any RowReader) throws(DomainError) -> AdminKey {
        AdminKey(
            id: row.id(1), digest: try row.digest(0), name: row.text(2),
            scopes: Set(row.text(3).split(separator: " ").compactMap { AdminPermission(rawValue: String($0)) }),
            applications: try applications(row, 4), maker: row.id(5), createdBy: row.text(6), createdAt: row.time(7),
            expiresAt: row.time(8))
    }
}
