package import Domain

extension SQLTransaction {
    package func insert(_ session: AdminSession) throws(DomainError) {
        try connection.insert(session, as: AdminSessionRow.self)
    }

    package func adminSession(_ digest: SecretDigest) throws(DomainError) -> AdminSession? {
        try connection.first(AdminSessionRow.self, "FROM admin_sessions WHERE digest = $1", [.digest(digest)])
    }

    package func adminSession(
        of admin: Identifier<Admin>, createdAt: Timestamp
    ) throws(DomainError) -> AdminSession? {
        try connection.first(
            AdminSessionRow.self, "FROM admin_sessions WHERE admin_id = $1 AND created_at = $2",
            [.id(admin), .time(createdAt)])
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

    package func removeAdminSessions(
        createdBefore creation: Timestamp, usedBefore use: Timestamp
    ) throws(DomainError) {
        try connection.run(
            "DELETE FROM admin_sessions WHERE created_at < $1 OR last_used_at < $2", [.time(creation), .time(use)])
    }

    package func removeAdminSessions(of admin: Identifier<Admin>, but session: SecretDigest) throws(DomainError) {
        try connection.run(
            "DELETE FROM admin_sessions WHERE admin_id = $1 AND digest <> $2", [.id(admin), .digest(session)])
    }

    package func link(_ passkey: Passkey, to admin: Identifier<Admin>) throws(DomainError) {
        try connection.run(
            "INSERT INTO admin_passkeys (credential_id, admin_id) VALUES ($1, $2)", [.text(passkey.id), .id(admin)])
    }

    package func admin(passkey id: String) throws(DomainError) -> Admin? {
        try connection.first(
            AdminRow.self, "FROM admins WHERE id = (SELECT admin_id FROM admin_passkeys WHERE credential_id = $1)",
            [.text(id)])
    }

    package func passkeys(of admin: Identifier<Admin>) throws(DomainError) -> [Passkey] {
        try connection.all(
            PasskeyRow.self,
            """
            FROM passkeys WHERE application_id = $1
                AND credential_id IN (SELECT credential_id FROM admin_passkeys WHERE admin_id = $2)
            ORDER BY created_at, credential_id
            """,
            [.id(AuditEntry.server), .id(admin)])
    }

    package func removePasskey(_ id: String, of admin: Identifier<Admin>) throws(DomainError) {
        let removed = try connection.change(
            "DELETE FROM admin_passkeys WHERE credential_id = $1 AND admin_id = $2", [.text(id), .id(admin)])
        guard removed > 0 else { return }
        try removePasskey(id, in: AuditEntry.server)
        try connection.run(
            "DELETE FROM admin_sessions WHERE admin_id = $1 AND passkey_id = $2", [.id(admin), .text(id)])
    }

    package func insert(_ identity: AdminIdentity) throws(DomainError) {
        try connection.insert(identity, as: AdminIdentityRow.self)
    }

    package func adminIdentity(_ id: String) throws(DomainError) -> AdminIdentity? {
        try connection.first(AdminIdentityRow.self, "FROM admin_identities WHERE id = $1", [.text(id)])
    }

    package func identity(of admin: Identifier<Admin>) throws(DomainError) -> AdminIdentity? {
        try connection.first(AdminIdentityRow.self, "FROM admin_identities WHERE admin_id = $1", [.id(admin)])
    }

    package func adminIdentities() throws(DomainError) -> [AdminIdentity] {
        try connection.all(AdminIdentityRow.self, "FROM admin_identities ORDER BY admin_id")
    }

    package func removeIdentity(of admin: Identifier<Admin>) throws(DomainError) {
        let removed = try connection.change("DELETE FROM admin_identities WHERE admin_id = $1", [.id(admin)])
        guard removed > 0 else { return }
        try connection.run(
            "DELETE FROM admin_sessions WHERE admin_id = $1 AND identity_id IS NOT NULL", [.id(admin)])
    }

    package func insert(_ link: AdminLink) throws(DomainError) {
        try connection.insert(link, as: AdminLinkRow.self)
    }

    package func adminLink(_ digest: SecretDigest) throws(DomainError) -> AdminLink? {
        try connection.first(AdminLinkRow.self, "FROM admin_links WHERE digest = $1", [.digest(digest)])
    }

    package func remove(_ link: AdminLink) throws(DomainError) -> Bool {
        try connection.change("DELETE FROM admin_links WHERE digest = $1", [.digest(link.digest)]) > 0
    }

    package func removeOwnerLinks() throws(DomainError) {
        try connection.run("DELETE FROM admin_links WHERE admin_id IS NULL")
    }

    package func removeAdminLinks(endedBefore end: Timestamp) throws(DomainError) {
        try connection.run("DELETE FROM admin_links WHERE expires_at < $1", [.time(end)])
    }

    package func insert(_ key: AdminKey) throws(DomainError) {
        try connection.insert(key, as: AdminKeyRow.self)
    }

    package func adminKey(_ digest: SecretDigest) throws(DomainError) -> AdminKey? {
        try connection.first(AdminKeyRow.self, "FROM admin_keys WHERE digest = $1", [.digest(digest)])
    }

    package func adminKey(_ id: Identifier<AdminKey>) throws(DomainError) -> AdminKey? {
        try connection.first(AdminKeyRow.self, "FROM admin_keys WHERE id = $1", [.id(id)])
    }

    package func updateReach(of key: AdminKey) throws(DomainError) {
        try connection.run(
            "UPDATE admin_keys SET networks = $1 WHERE id = $2", try AdminKeyRow.values(of: key, .networks, .id))
    }

    package func adminKeys() throws(DomainError) -> [AdminKey] {
        try connection.all(AdminKeyRow.self, "FROM admin_keys ORDER BY id DESC")
    }

    package func removeAdminKey(_ id: Identifier<AdminKey>) throws(DomainError) -> Bool {
        try connection.change("DELETE FROM admin_keys WHERE id = $1", [.id(id)]) > 0
    }

    package func removeAdminKeys(endedBefore end: Timestamp) throws(DomainError) {
        try connection.run("DELETE FROM admin_keys WHERE expires_at < $1", [.time(end)])
    }

    package func removeAdminKeys(madeBy admin: Identifier<Admin>) throws(DomainError) -> Int {
        try connection.change("DELETE FROM admin_keys WHERE admin_id = $1", [.id(admin)])
    }

    package func application(
        adminKey digest: SecretDigest
    ) throws(DomainError) -> (id: Identifier<Application>, name: String)? {
        try connection.row(
            "SELECT id, name FROM applications WHERE admin_key_digest = $1", [.digest(digest)]
        ) { row throws(DomainError) in
            let row = ColumnReader<ApplicationRow.Column>(row)
            return (id: row.id(.id), name: row.text(.name))
        }
    }
}
